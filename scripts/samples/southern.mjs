/** Words, towns, forms and habits of Italy, Spain and Portugal. Data only; any likeness to a real company is chance. */
import { list } from './list.mjs'

const italian = {
  trade:
    list(`Officine Meccaniche|Costruzioni|Costruzioni Meccaniche|Impianti|Impianti Elettrici|Carpenteria|Fonderie|Stampaggio|Torneria|Utensili|Trasporti|Logistica|Spedizioni|Imballaggi|Cartotecnica|Grafiche|Arti Grafiche|Etichette|Ceramiche|Marmi|Graniti|Laterizi|Serramenti|Arredamenti|Mobili|Legnami|Vetrerie|
    Tessuti|Filati|Confezioni|Maglificio|Calzature|Pelletterie|Gioielli|Occhiali|Alimentari|Salumi|Caseificio|Pastificio|Molino|Dolciaria|Conserve|Vini|Oleificio|Torrefazione|Agricola|Sementi|Vivai|Macchine Agricole|Pompe|Valvole|Oleodinamica|Automazione|Elettronica|Informatica|Consulenza|Immobiliare|Servizi|Pulizie|Vigilanza|Ecologia|Recuperi|Energia|Autotrasporti|Autoricambi|Nautica|Farmaceutici|Medicali`),
  street: list(
    "Via Roma|Via Garibaldi|Via Mazzini|Via Dante Alighieri|Corso Italia|Viale della Repubblica|Piazza San Marco|Via dell'Industria|Via dell'Artigianato|Via delle Rose|Via XX Settembre|Strada Provinciale {unit}|Via Don Minzoni|Via Cavour|Località Cà Bianca|Via Niccolò Tommaseo|Via {elsewhere}",
  ),
  estate: list('Zona Industriale|Interno {unit}|Scala {letterUp}|Capannone {unit}'),
}
const spanish = {
  trade:
    list(`Construcciones|Talleres|Talleres Mecánicos|Transportes|Logística|Instalaciones|Instalaciones Eléctricas|Fontanería|Climatización|Carpintería|Muebles|Maderas|Cerámicas|Azulejos|Mármoles|Hormigones|Áridos|Excavaciones|Pinturas|Cristalería|Metalúrgica|Fundiciones|Mecanizados|Troquelados|Plásticos|Envases|Embalajes|Cartonajes|Gráficas|Imprenta|Conservas|
    Embutidos|Bodegas|Aceites|Panadería|Lácteos|Frutas|Hortalizas|Semillas|Piensos|Maquinaria Agrícola|Automoción|Neumáticos|Suministros Industriales|Hidráulica|Electrónica|Informática|Consultoría|Asesoría|Inmobiliaria|Limpiezas|Seguridad|Jardinería|Reciclajes|Energías Renovables|Textiles|Confecciones|Calzados|Joyería|Óptica|Productos Químicos|Material Sanitario|Editorial|Náutica`),
  street: list(
    'Calle Mayor|Calle Real|Avenida de la Constitución|Avenida de Andalucía|Plaza España|Calle Cervantes|Calle del Carmen|Paseo de Gracia|Camino Viejo|Carretera de {elsewhere}|Calle San José|Ronda de Levante|Calle Jacinto Benavente|Avda. del Puerto|Calle Núñez de Balboa|C/ Peñalara|Travesía del Olmo',
  ),
  estate: list(
    'Polígono Industrial La Peña|Pol. Ind. El Álamo, Nave {unit}|Nave {unit}|Parcela {unit}|{n2}.º Izq.|Edificio Ébano',
  ),
}

export const southern = [
  {
    country: 'IT',
    count: 260,
    words: {
      ...italian,
      area: list(
        'Adriatica|Padana|Emiliana|Lombarda|Veneta|Toscana|Ligure|Brianza|Piemontese|Umbra|Salentina|Sicula|Dolomiti|Tirrena',
      ),
    },
    surnames: list(
      "Ferraresi|Bertolucci|Colombo|Moretti|Galli|Fontana|Rinaldi|Caruso|Marchetti|Gatti|Pellegrini|Palmieri|Bianchini|Fabbri|Zanetti|Piovesan|Dal Bò|Bonetti|Sartori|Vianello|Nicolò|Cecchin|Tagliaferri|Brambilla|Cattaneo|Fumagalli|Pozzi|Vitali|Zambelli|Benvenuti|Guidi|Lazzarini|Mazzanti|Orlandini|Passerini|Quaglia|Ravaioli|Salvatori|Tosi|Ugolini|Valsecchi|Cuccurullo|D'Angelo|Esposito|La Rosa|Lo Presti|Nicosia|Cirinnà",
    ),
    givens: list('Aldo|Bruno|Carlo|Dino|Enzo|Franca|Gino|Lucia|Mario|Nicolò'),
    names: [
      [17, '{trade} {surname}'],
      [10, '{surname} {trade}'],
      [6, 'F.lli {surname}'],
      [4, '{surname} & C.', 'S.a.s.'],
      [4, '{surname} & {surname2} {trade}'],
      [5, '{trade} {area}'],
      [5, '{trade} {place}'],
      [7, '{coined} {trade}'],
      [5, '{coined}'],
      [3, '{coined} Italia'],
      [3, '{acronym} {trade}'],
      [3, '{given} {surname} {trade}'],
      [2, 'Gruppo {surname}'],
      [2, 'Antica {trade} {surname}'],
    ],
    forms: [
      [55, 'S.r.l.'],
      [10, 'Srl'],
      [12, 'S.p.A.'],
      [4, 'SpA'],
      [6, 'S.n.c.'],
      [5, 'S.a.s.'],
      [5, 'Soc. Coop.'],
      [3, 'S.r.l.s.'],
    ],
    lines: [
      [8, '{street}, {n}'],
      [2, '{street}, {n}/{letter}'],
      [2, '{street}, {n}', '{estate}'],
    ],
    towns: list(
      `Milano:201##|Monza:20900|Bergamo:2412#|Brescia:2512#|Como:22100|Varese:21100|Torino:101##|Cuneo:12100|Novara:28100|Genova:161##|La Spezia:1912#|Verona:3712#|Vicenza:36100|Padova:351##|Treviso:31100|Venezia:3012#|Udine:33100|Trieste:341##|Trento:3812#|Bolzano:39100|Bologna:401##|Modena:4112#|Parma:4312#|Reggio Emilia:4212#|Rimini:4792#|Forlì:4712#|Firenze:501##|Prato:59100|Lucca:55100|Arezzo:52100|Perugia:0612#|Ancona:6012#|Pescara:6512#|Roma:001##|Napoli:801##|Salerno:8412#|Bari:701##|Lecce:73100|Palermo:901##|Catania:951##|Cagliari:0912#`,
    ),
    postcode: 'fill',
    phone: [],
    dial: '+39',
    spelt: [
      [45, 'IT'],
      [28, 'Italy'],
      [12, 'Italia'],
      [15, ''],
    ],
  },
  {
    country: 'ES',
    count: 210,
    words: {
      ...spanish,
      area: list(
        'del Ebro|de Levante|del Sur|del Cantábrico|de Castilla|del Penedès|de la Mancha|del Norte|de Aragón|Ibérica|Catalana|Gallega|Extremeña',
      ),
    },
    surnames: list(
      'Ibáñez|Peña|Muñoz|Núñez|García|Martínez|Fernández|Rodríguez|Gómez|Jiménez|Álvarez|Domínguez|Vázquez|Ramón|Serrano|Castaño|Güell|Puigdomènech|Ferrer|Vilaseca|Casals|Etxeberria|Aguirre|Goñi|Larrañaga|Otero|Piñeiro|Seoane|Cabañas|Requena|Ordóñez|Saldaña|Escribà|Montañés|Cañizares|Zubizarreta|Belmonte|Bermúdez|Carrión|Quiñones',
    ),
    givens: list('Ramón|José|Ángel|Inés|Lucía|Joaquín|Andrés|Begoña|Iñaki|Jordi'),
    names: [
      [18, '{trade} {surname}'],
      [6, '{trade} {surname} {surname2}'],
      [6, 'Hijos de {given} {surname}'],
      [4, 'Hermanos {surname}'],
      [4, '{surname} y {surname2} {trade}'],
      [7, '{trade} {area}'],
      [5, '{trade} {place}'],
      [7, '{coined} {trade}'],
      [5, '{coined}'],
      [3, '{coined} España'],
      [3, '{acronym} {trade}'],
      [2, 'Grupo {surname}'],
      [2, '{trade} {given} {surname}'],
    ],
    forms: [
      [40, 'S.L.'],
      [22, 'SL'],
      [14, 'S.A.'],
      [8, 'S.L.U.'],
      [6, 'SA'],
      [4, 'S.A.U.'],
      [3, 'S. Coop.'],
    ],
    lines: [
      [8, '{street}, {n}'],
      [3, '{street}, {n}', '{estate}'],
      [2, '{estate}', '{street}'],
    ],
    towns: list(
      'Madrid:280##|Getafe:2890#|Barcelona:080##|Sabadell:0820#|Terrassa:0822#|Girona:1700#|Tarragona:4300#|Lleida:2500#|Zaragoza:500##|Pamplona:3100#|Logroño:2600#|Vitoria-Gasteiz:0100#|Bilbao:480##|San Sebastián:2001#|Santander:3900#|Gijón:3320#|León:2400#|A Coruña:1500#|Vigo:3620#|Valladolid:4700#|Salamanca:3700#|Burgos:0900#|Toledo:4500#|Albacete:0200#|Valencia:460##|Castellón de la Plana:1200#|Alicante:0300#|Murcia:3000#|Almería:0400#|Málaga:2900#|Córdoba:1400#|Sevilla:410##|Cádiz:1100#|Badajoz:0600#|Palma:0700#',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+34',
    spelt: [
      [45, 'ES'],
      [28, 'Spain'],
      [12, 'España'],
      [15, ''],
    ],
  },
  {
    country: 'PT',
    count: 50,
    words: {
      trade: list(
        'Construções|Transportes|Metalomecânica|Moldes|Cortiças|Confecções|Calçado|Cerâmicas|Mármores|Conservas|Vinhos|Lacticínios|Panificação|Mobiliário|Plásticos|Embalagens|Artes Gráficas|Informática|Consultoria|Imobiliária|Limpezas|Automóveis',
      ),
      area: list('do Douro|do Minho|do Tejo|do Alentejo|da Beira|do Norte|do Litoral'),
      street: list(
        'Rua da Liberdade|Avenida da República|Rua do Comércio|Rua de São João|Largo da Sé|Travessa do Moinho|Estrada Nacional {unit}|Rua Conceição',
      ),
      estate: list('Zona Industrial, Lote {unit}|{unit}.º Dto.|Armazém {letterUp}'),
    },
    surnames: list(
      'Gonçalves|Conceição|Araújo|Magalhães|Simões|Guimarães|Leitão|Brandão|Falcão|Assunção|Vilaça|Fonseca|Moreira|Teixeira|Carvalho',
    ),
    givens: list('João|António|Inês|Estêvão'),
    names: [
      [12, '{trade} {surname}'],
      [5, '{surname} & {surname2} {trade}'],
      [4, '{surname} & Filhos'],
      [6, '{trade} {area}'],
      [5, '{coined} {trade}'],
      [3, '{coined} Portugal'],
      [3, 'Irmãos {surname}'],
    ],
    forms: [
      [60, 'Lda.'],
      [15, 'Lda'],
      [15, 'S.A.'],
      [10, 'Unipessoal Lda'],
    ],
    lines: [
      [6, '{street}, {n}'],
      [2, '{street}, {n}', '{estate}'],
    ],
    towns: list(
      'Lisboa:1#00-###|Porto:4#00-###|Braga:4700-###|Guimarães:4800-###|Aveiro:3800-###|Coimbra:3000-###|Leiria:2400-###|Évora:7000-###|Setúbal:2900-###|Faro:8000-###|Covilhã:6200-###',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+351',
    spelt: [
      [50, 'PT'],
      [35, 'Portugal'],
      [15, ''],
    ],
  },
]
