/**
 * The table of legal forms: class, then its spellings as `fold` leaves them (dotted initials joined), short and spelled out,
 * in the manner of GLEIF's ELF list. Data only; `name.ts` strips them. `weak` says "a company" without saying which kind.
 */

/** Classes that can agree or contradict; `weak` does neither. */
export type LegalClass =
  | 'private'
  | 'public'
  | 'corporation'
  | 'llc'
  | 'partnership'
  | 'cooperative'
  | 'nonprofit'
  | 'state'
  | 'weak'

/** Spellings that end a name (most also stand elsewhere; see LEADING_FORMS). Parted by `|`. */
export const LEGAL_FORMS: readonly (readonly [LegalClass, string])[] = [
  // English
  [
    'private',
    'ltd|limited|private limited|pvt ltd|pvt limited|private ltd|pte ltd|pte limited|pty ltd|pty limited|proprietary limited|pty|pte|pvt|private limited company|company limited|co ltd|co limited|coltd|ltd co|limited company|company ltd|company limited by shares|sdn bhd|sendirian berhad|ltda|limitada|cyf|cyfyngedig|dac|designated activity company|unlimited company|opc pvt ltd',
  ],
  [
    'public',
    'plc|public limited company|public limited|public company limited|pcl|public co ltd|public ltd co|public ltd company|bhd|berhad|tbk|ccc|cwmni cyfyngedig cyhoeddus|public joint stock company|open joint stock company|joint stock company|closed joint stock company|jsc|pjsc|ojsc|cjsc|jsb|saog|qpsc|qsc|kscp|ksc|pjs',
  ],
  ['corporation', 'inc|incorporated|corp|corporation|incorporation|co inc|company inc|incorporee'],
  [
    'llc',
    'llc|limited liability company|lc|pllc|professional limited liability company|limited liability co|wll|with limited liability|fzco|fze|fz llc|fzllc|dmcc',
  ],
  ['partnership', 'llp|lp|lllp|limited liability partnership|limited partnership|general partnership'],
  ['cooperative', 'coop|cooperative society|cooperative society limited|industrial and provident society|co operative'],
  ['nonprofit', 'cio|charitable incorporated organisation|cic|community interest company|npc'],
  ['weak', 'company|co|cos|companies|and co|and company|and cie'],
  // German
  [
    'private',
    'gmbh|gesellschaft mit beschrankter haftung|gesellschaft mbh|ges mbh|gesmbh|mbh|ug|unternehmergesellschaft|ug haftungsbeschrankt|unternehmergesellschaft haftungsbeschrankt|haftungsbeschrankt|ggmbh|gemeinnutzige gmbh|gemeinnutzige gesellschaft mit beschrankter haftung|flexco|flexkapg|gesellschaft mit beschraenkter haftung',
  ],
  [
    'public',
    'ag|aktiengesellschaft|kgaa|ag and co kgaa|gmbh and co kgaa|se and co kgaa|kommanditgesellschaft auf aktien|se|societas europaea|invag',
  ],
  [
    'partnership',
    'kg|kommanditgesellschaft|gmbh and co kg|gmbh and cokg|gmbh und co kg|gmbh and co|gmbh co kg|ag and co kg|ug and co kg|se and co kg|and co kg|co kg|cokg|gmbh and co ohg|ohg|offene handelsgesellschaft|og|gbr|gesellschaft burgerlichen rechts|partg|partgmbb|partg mbb|partnerschaftsgesellschaft|partnerschaft|eingetragener kaufmann|ekfr|eingetragene kauffrau|eu|eingetragenes einzelunternehmen|gesnbr',
  ],
  ['cooperative', 'eg|eingetragene genossenschaft|egmbh|egen'],
  ['nonprofit', 'ev|eingetragener verein'],
  // French
  [
    'private',
    'sarl|societe a responsabilite limitee|eurl|sas|sasu|societe par actions simplifiee|societe par actions simplifiee unipersonnelle|srl|societe a responsabilite limitee unipersonnelle|sarlau|selarl|selas|sprl|bvba|sprlu|societe privee a responsabilite limitee|ltee|limitee|suarl',
  ],
  [
    'public',
    'sa|societe anonyme|ste anonyme|sca|societe en commandite par actions|sadir|comm va|societe anonyme a conseil dadministration|sicav|sicaf|fcp',
  ],
  [
    'partnership',
    'snc|societe en nom collectif|scs|societe en commandite simple|sci|societe civile immobiliere|scp|societe civile|gie|groupement dinteret economique|ei|eirl|senc|sencrl',
  ],
  ['cooperative', 'scop|scic|scrl|cvba|societe cooperative|societe cooperative a responsabilite limitee|scea|gaec'],
  ['nonprofit', 'asbl|vzw|association sans but lucratif|association loi 1901|aisbl|ivzw'],
  ['weak', 'cie|compagnie|societe|ste|ets|etablissements|et cie|et compagnie'],
  // Italian
  [
    'private',
    'srl|societa a responsabilita limitata|srls|srlu|societa a responsabilita limitata semplificata|srl unipersonale|a responsabilita limitata|sagl',
  ],
  ['public', 'spa|societa per azioni|sapa|societa in accomandita per azioni|sim spa|sgr spa'],
  ['partnership', 'societa in accomandita semplice|societa in nome collettivo|societa semplice|ditta individuale'],
  [
    'cooperative',
    'soc coop|societa cooperativa|scarl|scrl|soc coop arl|societa cooperativa a responsabilita limitata|scpa|coop arl|scpa|societa consortile a responsabilita limitata|societa consortile per azioni',
  ],
  ['nonprofit', 'onlus'],
  // Spanish, Portuguese, Latin America
  [
    'private',
    'sl|sociedad limitada|sociedad de responsabilidad limitada|slu|sociedad limitada unipersonal|sll|slne|sociedad limitada nueva empresa|sociedad limitada laboral|s de rl|s de rl de cv|sociedad de responsabilidad limitada de capital variable|sas de cv|sociedad por acciones simplificada|spr de rl|lda|limitada|unipessoal lda|unipessoal limitada|sociedade unipessoal por quotas|sociedade por quotas|eireli|ltda me|ltda epp|srl de cv|eirl|sociedade limitada',
  ],
  [
    'public',
    'sa|sociedad anonima|sau|sociedad anonima unipersonal|sal|sociedad anonima laboral|sad|sociedad anonima deportiva|sa de cv|sociedad anonima de capital variable|sab de cv|sab|sapi de cv|sapi|sociedad anonima bursatil de capital variable|sociedad anonima bursatil|saa|sociedad anonima abierta|sac|sociedad anonima cerrada|sociedade anonima|sgps|sgps sa|sacifia|saic|saci|sa esp|esp',
  ],
  [
    'partnership',
    'sociedad en comandita|sc|scp|sociedad colectiva|sociedad civil|cb|comunidad de bienes|sociedad civil privada|ute',
  ],
  ['cooperative', 'scoop|sociedad cooperativa|sociedad cooperativa limitada|crl|scl'],
  ['nonprofit', 'ac'],
  ['weak', 'corporacion|corporacao|compania|cia|y compania|y cia|e cia|companhia|empresa'],
  // Dutch
  [
    'private',
    'bv|besloten vennootschap|besloten vennootschap met beperkte aansprakelijkheid|bv beperkte aansprakelijkheid|eenmanszaak',
  ],
  ['public', 'nv|naamloze vennootschap|naamloze vennootschap op aandelen'],
  ['partnership', 'vof|vennootschap onder firma|cv|commanditaire vennootschap|maatschap|commv'],
  ['cooperative', 'cooperatie ua|ua|cooperatieve vennootschap|cooperatief ua'],
  ['nonprofit', 'vereniging'],
  // Nordic
  ['private', 'aps|anpartsselskab|ivs|ehf|einkahlutafelag|smba|amba|as|aksjeselskap'],
  [
    'public',
    'ab|aktiebolag|aktiebolaget|ab publ|publ|aktiebolag publ|aktieselskab|aktieselskabet|asa|allmennaksjeselskap|oy|oyj|oyj abp|osakeyhtio|julkinen osakeyhtio|abp|hf|hlutafelag',
  ],
  [
    'partnership',
    'ks|kommandittselskap|kommanditselskab|kb|kommanditbolag|hb|handelsbolag|ky|kommandiittiyhtio|ay|avoin yhtio|ans|ansvarlig selskap|interessentskab|enk|enkeltpersonforetak|enkeltmandsvirksomhed|tmi|nuf|partnerselskab',
  ],
  ['cooperative', 'ekonomisk forening|ek for|osk|samvirkeforetak|andelsselskab|amba'],
  ['nonprofit', 'ry'],
  // Polish, Czech, Slovak, Hungarian, Romanian, Balkans, Baltics
  [
    'private',
    'sp z oo|sp zoo|spz oo|spzoo|spolka z oo|spolka z ograniczona odpowiedzialnoscia|spolka z ograniczona odpowiedzialnoscia spolka komandytowa|sp z ograniczona odpowiedzialnoscia|sro|spol sro|spol s ro|spolecnost s rucenim omezenym|spolocnost s rucenim obmedzenym|kft|korlatolt felelossegu tarsasag|doo|druzba z omejeno odgovornostjo|drustvo s ogranicenom odgovornoscu|ood|eood|uab|uzdaroji akcine bendrove|sia|sabiedriba ar ierobezotu atbildibu|ou|osauhing|shpk|jdoo|societate cu raspundere limitata|epe|ike|mepe|mb',
  ],
  [
    'public',
    'spolka akcyjna|sp akcyjna|psa|prosta spolka akcyjna|akciova spolecnost|akciova spolocnost|nyrt|zrt|rt|nyilvanosan mukodo reszvenytarsasag|zartkoruen mukodo reszvenytarsasag|reszvenytarsasag|dd|dionicko drustvo|delniska druzba|ad|akcionersko druzestvo|akcionarsko drustvo|ead|societate pe actiuni|sha|akcine bendrove|akciju sabiedriba|aktsiaselts|ae|anonymi etaireia|ave|aee|abee|anonimos etairia|as ab',
  ],
  [
    'partnership',
    'sp k|spolka komandytowa|sp j|sp jawna|spolka jawna|sp p|spolka partnerska|spolka cywilna|sp zoo sp k|sp z oo sp k|sp z oo spk|spk|spj|sp zoo spk|ska|vos|verejna obchodni spolecnost|komanditni spolecnost|bt|beteti tarsasag|kkt|kd|omorrythmi etairia',
  ],
  ['cooperative', 'zadruga'],
  ['nonprofit', 'ops|zs'],
  // Russian and neighbours (transliterated)
  [
    'llc',
    'ooo|obshchestvo s ogranichennoy otvetstvennostyu|obshchestvo s ogranichennoi otvetstvennostiu|obshchestvo s ogranichennoi otvetstvennostyu|obshchestvo s ogranichennoj otvetstvennostyu|tov|tovarystvo z obmezhenoyu vidpovidalnistyu|too|tovarishchestvo s ogranichennoy otvetstvennostyu|odo|tdv',
  ],
  [
    'public',
    'oao|pao|zao|ao|otkrytoe aktsionernoe obshchestvo|zakrytoe aktsionernoe obshchestvo|publichnoe aktsionernoe obshchestvo|aktsionernoe obshchestvo|nao|pat|prat|vat|tat|publichne aktsionerne tovarystvo|pryvatne aktsionerne tovarystvo|aktsionerne tovarystvo|npao',
  ],
  [
    'state',
    'fgup|gup|mup|federalnoe gosudarstvennoe unitarnoe predpriyatie|gosudarstvennoe unitarnoe predpriyatie|unitarnoe predpriyatie|rup|state enterprise|federal state unitary enterprise|state unitary enterprise|fop|ano|nko',
  ],
  // Turkish, Asian
  [
    'private',
    'ltd sti|limited sirketi|ltd sirketi|yugen kaisha|yk|godo kaisha|gk|goudou kaisha|yuhan hoesa|yuhan|youxian gongsi|youxian zeren gongsi|cong ty tnhh|tnhh',
  ],
  [
    'public',
    'anonim sirketi|sanayi ve ticaret as|kk|kabushiki kaisha|kabushiki gaisha|kabushikigaisha|kabushikikaisha|zhushihuishe|jusighoesa|chusik hoesa|jusik hoesa|gufen youxian gongsi|perseroan terbatas|persero tbk|perseroan|persero|cong ty co phan|ctcp',
  ],
]

/** Spellings that may open a name as well. Two-letter words stand here only where the country's custom puts them in front. */
export const LEADING_FORMS =
  'ooo|oao|zao|pao|ao|nao|npao|ojsc|pjsc|cjsc|jsc|tov|pat|prat|too|odo|uab|sia|ab|aktiebolaget|oy|as|ou|pt|cv|ud|kk|kabushiki kaisha|' +
  'kabushikigaisha|ip|fgup|gup|mup|limited liability company|public joint stock company|open joint stock company|closed joint stock company|' +
  'joint stock company|aktsionernoe obshchestvo|otkrytoe aktsionernoe obshchestvo|zakrytoe aktsionernoe obshchestvo|' +
  'publichnoe aktsionernoe obshchestvo|obshchestvo s ogranichennoy otvetstvennostyu|obshchestvo s ogranichennoi otvetstvennostiu|obshchestvo s ogranichennoi otvetstvennostyu|' +
  'obshchestvo s ogranichennoj otvetstvennostyu|tovarystvo z obmezhenoyu vidpovidalnistyu|sarl|eurl|sas|sasu|sa|sci|scp|snc|sca|nv|bv|vof|' +
  'asbl|vzw|societe anonyme|societe a responsabilite limitee|societa per azioni|societa cooperativa|soc coop|' +
  'sociedad anonima|spolka|zhushihuishe|cong ty tnhh|cong ty co phan|perseroan terbatas|llc|firma|gmbh|kft|sc|sociedade'

/** Forms strong enough to be taken out of the middle of a name ("SULZER LIMITED UK", "MYCRONIC AB (PUBL) MYCRONIC"). */
export const MIDDLE_FORMS =
  'ltd|limited|plc|inc|incorporated|llc|llp|gmbh|publ|ltda|sarl|corp|corporation|pty|pte|pvt|berhad|tbk|aktiengesellschaft'
