/** Words, towns, forms and habits of France and French-speaking Belgium. Data only; any likeness to a real company is chance. */
import { list } from './list.mjs'

const words = {
  trade:
    list(`Plomberie|Chauffage|Électricité|Maçonnerie|Menuiserie|Charpente|Couverture|Peinture|Carrelage|Serrurerie|Métallerie|Chaudronnerie|Mécanique de Précision|Usinage|Fonderie|Outillage|Plasturgie|Emballages|
    Cartonnages|Imprimerie|Étiquettes|Transports|Logistique|Déménagements|Froid|Climatisation|Automatismes|Électronique|Instruments|Informatique|Conseil|Formation|Ingénierie|Bureau d'Études|Architecture|Immobilier|
    Gestion|Nettoyage|Propreté|Sécurité|Espaces Verts|Pépinières|Travaux Publics|Terrassement|Béton|Carrières|Recyclage|Énergies|Solaire|Traiteur|Boulangerie|Pâtisserie|Charcuterie|Salaisons|Conserverie|Fromagerie|
    Laiterie|Brasserie|Vins et Spiritueux|Distillerie|Huilerie|Semences|Matériel Agricole|Automobiles|Carrosserie|Pneus|Cycles|Optique|Pharmacie|Matériel Médical|Textiles|Confection|Maroquinerie|Chaussures|Joaillerie|Meubles|Literie|Papeterie|Édition|Vidéo`),
  establishment: list(
    'Établissements|Ets|Ateliers|Maison|Société|Cabinet|Garage|Entreprise|Laboratoires|Domaine|Fonderies|Tuileries|Scieries',
  ),
  thing: list(
    'Menuiserie|Compagnie|Brasserie|Coopérative|Imprimerie|Société Nouvelle|Comptoir|Manufacture|Forges|Moulins|Carrières|Pépinières|Salaisons|Transports|Laiterie|Cidrerie|Tanneries',
  ),
  area: list(
    `du Vercors|de la Loire|des Vosges|du Val de Saône|de l'Adour|de Bretagne|du Périgord|de la Garonne|du Jura|des Cévennes|de Lorraine|du Marais|de la Côte d'Opale|du Forez|de l'Hérault|des Deux Rives|du Lac|de la Vallée|du Grand Pré|de l'Étang|du Château|d'Auvergne`,
  ),
  street: list(
    `rue de la République|rue Victor Hugo|avenue Jean Jaurès|boulevard Gambetta|rue des Écoles|rue du Moulin|chemin des Prés|rue de l'Église|place du Marché|allée des Tilleuls|impasse des Forges|route de {elsewhere}|avenue de {elsewhere}|quai de la Gare|rue Pasteur|rue du Général Leclerc|rue Émile Zola|cours Lafayette|rue Saint-Étienne|chemin de la Côte`,
  ),
  estate: list(
    `ZA des Charmilles|ZI Nord|ZAC du Grand Pré|Parc d'Activités de {place}|Zone Industrielle Est|Bâtiment {letterUp}|BP {n}|Technopole|ZA La Croix Blanche`,
  ),
}
const surnames =
  list(`Garçon|Lefèvre|Bérard|Moreau|Chevallier|François|Lemaître|Benoît|Besançon|Brûlé|Chéron|Crépin|Dépée|Dubreuil|Étienne|Fabre|Faucheux|Gauthier|Gérard|Guérin|Hébert|Hervé|Joubert|Lacroix|Lagrange|Lambert|
  Laurençon|Leblanc|Lécuyer|Legrand|Maréchal|Mérieau|Michaud|Nédélec|Noël|Ollivier|Pélissier|Perrin|Petitjean|Picard|Poirier|Prévost|Quéméner|Raffenel|Rémy|Rivière|Rousseau|Sabatier|Saulnier|Tanguy|Thévenot|Tissot|Vasseur|Verdier|Vignaud|Villeneuve|Boisvert|Castaing|Delcourt|Escoffier|Fournier|Grandjean|Jacquemin|Kerbrat|Le Goff|Le Bihan|Duchêne|Bœuf`)
const givens = list('Émile|Gérard|Hélène|Marcel|Léon|Rémi|Solène|Thérèse|Yannick|Loïc|Aurélie|Gaëlle|Zoé|Jean-Marc|Anne-Sophie')
const names = [
  [16, '{surname} {trade}'],
  [10, '{trade} {surname}'],
  [7, '{establishment} {surname}'],
  [4, '{surname} et Fils'],
  [3, '{surname} Frères'],
  [4, '{surname} & {surname2}'],
  [9, '{thing} {area}'],
  [3, '{trade} {area}'],
  [4, '{trade} {place}'],
  [7, '{coined} {trade}'],
  [5, '{coined}'],
  [3, '{coined} France'],
  [2, '{coined} Développement'],
  [3, '{given} {surname} {trade}'],
  [3, 'Groupe {surname}'],
  [3, '{acronym} {trade}'],
  [1, 'Au Pain de {given}'],
  [1, 'Les {n} Saveurs'],
  [2, 'La Maison {area}'],
  [2, 'SCI {area}', ''],
]
const lines = [
  [7, '{n} {street}'],
  [2, '{n} bis {street}'],
  [3, '{n} {street}', '{estate}'],
  [2, '{estate}', '{street}'],
]

export const french = [
  {
    country: 'FR',
    count: 420,
    words,
    surnames,
    givens,
    names,
    lines,
    forms: [
      [30, 'SARL'],
      [36, 'SAS'],
      [9, 'SA'],
      [8, 'EURL'],
      [8, 'SASU'],
      [2, 'SNC'],
      [2, 'SCOP'],
      [1, 'S.A.S.'],
      [1, 'S.A.R.L.'],
    ],
    formFirst: 0.16,
    towns:
      list(`Paris:750##:01 99 00 ## ##|Versailles:7800#:01 99 00 ## ##|Nanterre:9200#:01 99 00 ## ##|Montreuil:9310#:01 99 00 ## ##|Rennes:3500#:02 61 91 ## ##|Nantes:4400#:02 61 91 ## ##|Brest:2920#:02 61 91 ## ##|Quimper:2900#:02 61 91 ## ##|Angers:4900#:02 61 91 ## ##|Tours:3700#:02 61 91 ## ##|Rouen:7600#:02 61 91 ## ##|
      Caen:1400#:02 61 91 ## ##|Orléans:4500#:02 61 91 ## ##|Le Mans:7200#:02 61 91 ## ##|Lille:5900#:03 53 01 ## ##|Amiens:8000#:03 53 01 ## ##|Reims:5110#:03 53 01 ## ##|Strasbourg:6700#:03 53 01 ## ##|Mulhouse:6810#:03 53 01 ## ##|Besançon:2500#:03 53 01 ## ##|Épinal:8800#:03 53 01 ## ##|Dijon:2100#:03 53 01 ## ##|Nancy:5400#:03 53 01 ## ##|
      Lyon:6900#:04 65 71 ## ##|Grenoble:3800#:04 65 71 ## ##|Saint-Étienne:4200#:04 65 71 ## ##|Clermont-Ferrand:6300#:04 65 71 ## ##|Annecy:7400#:04 65 71 ## ##|Bourg-en-Bresse:0100#:04 65 71 ## ##|Valence:2600#:04 65 71 ## ##|Marseille:1300#:04 65 71 ## ##|Nîmes:3000#:04 65 71 ## ##|Montpellier:3400#:04 65 71 ## ##|Nice:0600#:04 65 71 ## ##|
      Béziers:3450#:04 65 71 ## ##|Toulouse:3100#:05 36 49 ## ##|Bordeaux:3300#:05 36 49 ## ##|Périgueux:2400#:05 36 49 ## ##|Pau:6400#:05 36 49 ## ##|Angoulême:1600#:05 36 49 ## ##|Limoges:8700#:05 36 49 ## ##|La Rochelle:1700#:05 36 49 ## ##`),
    postcode: 'fill',
    phone: ['06 39 98 ## ##'],
    dial: '+33',
    spelt: [
      [45, 'FR'],
      [30, 'France'],
      [12, 'FRA'],
      [13, ''],
    ],
  },
  {
    country: 'BE',
    count: 60,
    words: {
      ...words,
      area: list(`de Wallonie|du Hainaut|des Ardennes|de la Meuse|du Brabant|de l'Ourthe|du Condroz|de la Semois`),
    },
    surnames: list(
      'Dupont|Lejeune|Delvaux|Collignon|Grégoire|Hanquet|Lambotte|Marchal|Noirhomme|Piette|Servais|Thiry|Wauters|Bodart|Charlier|Deprez|Évrard|Gillet|Hallet|Jadot',
    ),
    givens,
    names,
    lines,
    forms: [
      [45, 'SRL'],
      [25, 'SPRL'],
      [28, 'SA'],
      [2, 'SC'],
    ],
    towns: list(
      'Bruxelles:10#0|Ixelles:1050|Liège:40#0|Namur:500#|Charleroi:60#0|Mons:7000|Tournai:750#|Verviers:480#|Louvain-la-Neuve:1348|Dinant:550#',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+32',
    spelt: [
      [45, 'BE'],
      [25, 'Belgium'],
      [15, 'Belgique'],
      [15, ''],
    ],
  },
]
