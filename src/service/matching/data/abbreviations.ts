/**
 * Words that stand for other words, as `fold` leaves them: short forms, spelling pairs, number words and stop words.
 * Data only; `name.ts` applies it. A pair serves both sides alike, so it only has to map to one spelling, not to the better one.
 */

const ABBREVIATIONS_TEXT = `
intl int internat internatl internationale internacional internazionale internasional > international
hldgs hldg holdgs hldng hlds hdg hdgs holdings > holding
grp gp gr grup gruppe gruppen groupe groep grupp grupo gruppo > group
mfg mfrs manuf manufact manufac > manufacturing
svcs svc servs serv srvcs service svs > services
tech techs technol techn technology tec technologie teknoloji > technologies
natl nat nacional nazionale > national
assoc assocs assn associates > associated
bros > brothers
mgmt mgt mngmt manag > management
dev devel devlp develop devt > development
engrg engr engin > engineering
inds indus industry indust industrie > industries
finl financ fincl > financial
ins insur insce > insurance
invest inv invs invt invts investment > investments
lab labs laboratory labor lab > laboratories
pharma pharm pharmaceut pharmac pharmaceutical phar phrm pharms > pharmaceuticals
chem chems chemical > chemicals
elec elect electr > electric
electron electrs electronic > electronics
comms communication communicat telecommunication > communications
telecom telecoms telekom > telecommunications
sys syst system systs > systems
prods product > products
props prop pty ppty property > properties
resource resourc > resources
petrolm > petroleum
univ > university
hosp hosps > hospital
ctr centre cntr > center
dept > department
govt > government
amer americas > america
aust austral > australia
uk gb > uk
ents enterpr entp entpr enterprise > enterprises
entmt enter entert > entertainment
distr distrib distribut distribution distributor > distributors
constr construct constrn > construction
trad > trading
transp transpt transportation > transport
solns solut solution > solutions
consult consultant consulting > consultants
mktg market > marketing
advert > advertising
equip eqpt equipm > equipment
mach machine > machinery
matls material > materials
metal > metals
mng mines mine > mining
bancorporation > bancorp
bankshares bancshs > bancshares
bk bnk > bank
bco > banco
bca > banca
cn > china
cda > canada
kon koninkl koninklijke > royal
ht hts hotel > hotels
rsts rst resort > resorts
ste soc societa sociedad sociedade > societe
cia cie compagnie compania companhia co cos companies > company
cap > capital
acq acquis > acquisition
therap therapeut therapeutic thera > therapeutics
biotech biotechnology biotechn > biotechnologies
biopharm biopharma biopharmaceutical biopharmaceut > biopharmaceuticals
biosci bioscience > biosciences
sci scien science > sciences
hlth healthc > health
gas gaz > gas
ener energie energia enrgy > energy
pwr > power
exploration expl explor exploratn > exploration
expt > export
wrld > world
amalg > amalgamated
st saint sankt > st
mount > mt
ft fort > ft
road rd > road
organization organizations organisations > organisation
organisational > organisation
labour > labor
colour > color
theatre > theater
und et y og och ed e i en u kai > and
first 1st > first
second 2nd > second
third 3rd > third
fourth 4th > fourth
one > 1
two ii > 2
three iii > 3
four iv > 4
five > 5
six vi > 6
seven vii > 7
eight viii > 8
nine ix > 9
ten > 10
eleven xi > 11
twelve xii > 12
thirteen xiii > 13
forty fourty > 40
deutsche dt dtsch > deutsche
oesterreichische osterr > osterreichische
schweizerische schweiz > schweizerische
suddeutsche sudd > suddeutsche
vers versicherung versicherungs > versicherungen
beteil bet beteiligung > beteiligungs
verw > verwaltungs
ges gesellsch gesellschaft > gesellschaft
`

/** Word to the word it stands for. */
export const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  ABBREVIATIONS_TEXT.trim()
    .split('\n')
    .flatMap(line => {
      const [words = '', to = ''] = line.split(' > ')
      return words.split(' ').map((word): [string, string] => [word, to])
    }),
)

/** Words that say nothing about which company is meant; dropped unless nothing else would be left. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  'the and of for de du des la le les der die das den dem del della di da do dos das van von el los las company a an in on at by l d al het ta ua'.split(
    ' ',
  ),
)
