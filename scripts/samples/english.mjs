/** Words, towns, forms and habits of the English-speaking countries. Data only; any likeness to a real company is chance. */
import { list } from './list.mjs'

const words = {
  trade:
    list(`Scaffolding|Joinery|Haulage|Plumbing & Heating|Roofing|Electrical|Electrical Services|Engineering|Precision Engineering|Fabrications|
    Sheet Metal|Castings|Fasteners|Tools|Tool Hire|Plant Hire|Packaging|Pallets|Labels|Print|Printing|Signs|Logistics|Freight|Couriers|Removals|
    Storage|Warehousing|Cold Stores|Foods|Bakery|Brewery|Butchers|Seafoods|Dairy|Produce|Catering|Catering Supplies|Coffee|Wines|Confectionery|
    Farms|Seeds|Feeds|Agricultural Services|Timber|Sawmills|Furniture|Upholstery|Flooring|Carpets|Tiles|Glass|Windows|Doors|Conservatories|Blinds|
    Interiors|Paints|Coatings|Plastics|Polymers|Mouldings|Rubber|Chemicals|Adhesives|Laboratories|Instruments|Sensors|Electronics|Controls|
    Automation|Pumps|Valves|Hydraulics|Bearings|Pneumatics|Refrigeration|Air Conditioning|Boilers|Insulation|Fire Protection|Security|Alarms|
    Locksmiths|Cleaning|Cleaning Services|Laundry|Workwear|Textiles|Knitwear|Leather|Footwear|Jewellers|Opticians|Dental Laboratory|Pharmacy|
    Medical Supplies|Veterinary Supplies|Care Homes|Nursing Services|Training|Recruitment|Consulting|Management Services|Surveyors|Architects|
    Software|Systems|Data Services|Telecoms|Networks|Media|Design|Marketing|Events|Photography|Publishing|Music|Travel|Coaches|Motors|Motorcycles|
    Tyres|Vehicle Rentals|Accident Repair|Marine|Boatyard|Aviation|Rail Services|Civil Engineering|Construction|Building Contractors|Groundworks|
    Demolition|Aggregates|Concrete|Brickworks|Quarries|Drainage|Waste Management|Recycling|Skip Hire|Environmental Services|Landscapes|Nurseries|
    Tree Services|Fencing|Pest Control|Property|Estates|Developments|Homes|Lettings|Insurance Brokers|Finance|Leasing|Accountancy|Energy|Solar|
    Wind Energy|Fuels|Lubricants|Gases|Metals|Steel|Aluminium|Wire Products|Springs|Bolts|Office Supplies|Stationery|Vending|Sports|Leisure|Toys`),
  short: list(
    'Group|Services|Systems|Solutions|Supplies|International|Technologies|Manufacturing|Industries|Associates|Partners|Works',
  ),
  profession: list(
    'Solicitors|Chartered Surveyors|Architects|Accountants|Associates|Consulting Engineers|Patent Attorneys|Planning|Wealth Management|Partners',
  ),
  product: list(
    'Rope|Paper|Tea|Candle|Cider|Cheese|Brush|Pottery|Basket|Soap|Biscuit|Boiler|Lighting|Bicycle|Garden|Sausage|Map|Lens|Carpet|Spice',
  ),
  kin: list('Sons|Son|Daughters|Partners|Co|Brothers|Sons|Co'),
  creature:
    list(`Kestrel|Heron|Otter|Badger|Falcon|Merlin|Lapwing|Curlew|Stag|Magpie|Kingfisher|Osprey|Swift|Wren|Beaver|Bramble|Juniper|Rowan|
    Hazel|Alder|Sycamore|Hawthorn|Clover|Anchor|Compass|Beacon|Lantern|Anvil|Pinnacle|Meridian|Zenith|Paragon|Keystone|Cornerstone|Vanguard|Sterling|
    Crown|Regent|Apex|Summit|Horizon|Prism|Quantum|Vector|Orbit|Delta|Sigma|Omega|Phoenix|Griffin|Pegasus|Unicorn|Atlas|Titan|Saturn|Orion|Castle`),
  initials: list(
    'DBR|KLM & W|A & J|PTS|MGR|HCS|R & D|TKL|J.W.|CBG|NWK & P|B & H|GTE & C|L & S|WJK|ABR|S.P.L.|DMC|EJB|FWR|JHT|C.R.S.|MPK|T & G|RDM|V.E.H.|WPL|IKS|QPR & D',
  ),
  odd: list(`1st Choice {trade}|24/7 {trade}|A1 {trade}|{unit} Degrees {trade}|Studio {unit} Design|4Site Surveys {place}|{place} 2000|Three Oaks {trade}|
    Five Ways {trade}|The {product} Room {place}|No. {unit} {place}|{unit} Acres {trade}|High Gear {trade} {place}|In2Print {place}|3D {trade} {place}|
    {place} @ Work|Two Rivers {trade} ({place})|Route {unit} {trade}|Seven Valleys {trade}|Plan B {trade}|Ten Fold {trade}`),
  region: list(
    'Northern|Southern|Midlands|Anglian|Wessex|Pennine|Border|Highland|Mersey|Solent|Thames Valley|Cotswold|Fenland|Lakeland|Moorland|Severn|Tyne|Humber|Chiltern|Downland',
  ),
  street:
    list(`High Street|Station Road|Church Lane|Mill Lane|Victoria Road|Albert Street|Queen Street|King Street|Bridge Street|Market Place|
    North Road|London Road|Park Avenue|Manor Way|Castle Street|Chapel Street|Canal Road|Foundry Lane|Wharf Road|Tannery Lane|Dock Road|Green Lane|
    {elsewhere} Road|{elsewhere} Street|{compound} Way|{compound} Drive|{compound} Close|{elsewhere} Lane`),
  estate:
    list(`{compound} Industrial Estate|{compound} Business Park|{elsewhere} Road Trading Estate|{compound} Enterprise Park|{compound} Mill|
    {place} Science Park|{compound} Distribution Centre|Old {product} Works|{compound} Farm|{compound} House|{compound} Court`),
}

const surnames =
  list(`Hargreaves|Pemberton|Ashworth|Whitcombe|Thistlewood|Bell|Marsden|Calloway|Greenhalgh|Ormerod|Fairclough|Entwistle|Sugden|Ackroyd|Holroyd|
  Sutcliffe|Barraclough|Oldroyd|Metcalfe|Dinsdale|Raistrick|Thackray|Appleyard|Cockcroft|Broadbent|Schofield|Heseltine|Penrose|Tregenza|Trelawney|Nancarrow|
  Polglase|Rosewarne|Carlyon|Kitto|Chenoweth|Boscawen|Pengelly|Davies|Evans|Llewellyn|Prosser|Bowen|Gwilliam|Vaughan|Cadwallader|Probert|MacAllister|McKendrick|
  Buchanan|Galbraith|Abernethy|Dalgleish|Carruthers|Strachan|Farquharson|Menzies|Urquhart|Moncrieff|Sinclair|McTavish|Gilchrist|Rennie|Lockhart|Kirkbride|
  Armstrong|Charlton|Fenwick|Heron|Ridley|Robson|Milburn|Thirlwell|Bainbridge|Winterbottom|Ramsbottom|Higginbotham|Longbottom|Shuttleworth|Birtwistle|Haythornthwaite|
  Postlethwaite|Braithwaite|Satterthwaite|Thistlethwaite|Copley|Dearden|Kershaw|Lomax|Nuttall|Openshaw|Rigby|Seddon|Tyldesley|Unsworth|Walmsley|Yates|Attwood|
  Bagshaw|Chadwick|Daintith|Eardley|Fernyhough|Goodall|Hulme|Ibbotson|Jessop|Keeling|Leadbetter|Mellor|Naylor|Oakden|Plant|Quarmby|Renshaw|Salt|Tunnicliffe|
  Underwood|Venables|Wardle|Bickerstaffe|Blakemore|Brockway|Bullivant|Burgoyne|Cardwell|Castleton|Chilcott|Clutterbuck|Colclough|Cotterill|Crabtree|Cudworth|
  Dampier|Devereux|Dimmock|Dunnett|Eastwood|Elphick|Fanshawe|Farthing|Fairweather|Gadsby|Garside|Gooch|Grimshaw|Hallam|Hathersage|Hepworth|Hollingsworth|Horrocks|
  Jellicoe|Kettleborough|Lavender|Loveday|Lovelock|Mallinson|Merriweather|Mountford|Nettleton|Nightingale|Oxley|Padgett|Peverell|Pickles|Pinnock|Rathbone|Redfern|
  Rowbottom|Sandiford|Scattergood|Seabrook|Shillito|Silverwood|Spendlove|Stallard|Stanhope|Sturgess|Swindlehurst|Tattersall|Tempest|Thorneycroft|Tranter|Trickett|
  Wadsworth|Wainwright|Warburton|Weatherill|Whitehouse|Wigglesworth|Wolstenholme|Woodruff|Wragg|Wycherley|Youngman|Smith|Jones|Taylor|Patel|Singh|Khan|Begum|Okafor|Nowak|
  Chaudhry|Rahman|Osei|Adeyemi|Sharma|Kaur|Hussain|Clarke|Walker|Harris|Turner|Cooper|Ward|Hughes|Foster|Simpson|Marshall|Hunt|Stone|Webb|Ellis|Barnes|Fisher|Palmer`)

const towns =
  list(`London:E1-18:020 7946 0###|London:N1-22:020 7946 0###|London:SE1-28:020 7946 0###|London:SW2-20:020 7946 0###|London:W2-14:020 7946 0###|London:NW1-11:020 7946 0###|
  Leeds:LS1-29:0113 496 0###|Sheffield:S1-36:0114 496 0###|Nottingham:NG1-16:0115 496 0###|Leicester:LE1-19:0116 496 0###|Bristol:BS1-16:0117 496 0###|Reading:RG1-7:0118 496 0###|
  Birmingham:B1-48:0121 496 0###|Edinburgh:EH1-17:0131 496 0###|Glasgow:G1-53:0141 496 0###|Liverpool:L1-36:0151 496 0###|Manchester:M1-35:0161 496 0###|
  Newcastle upon Tyne:NE1-20:0191 498 0###|Sunderland:SR1-6:0191 498 0###|Cardiff:CF3-24:029 2018 0###|Belfast:BT1-17:028 9649 6###|
  Bradford:BD1-18|Huddersfield:HD1-8|Halifax:HX1-7|Wakefield:WF1-6|Doncaster:DN1-12|Rotherham:S60-66|Barnsley:S70-75|Harrogate:HG1-3|York:YO1-32|Whitby:YO21-22|
  Scarborough:YO11-13|Thirsk:YO7-7|Hull:HU1-9|Grimsby:DN31-37|Lincoln:LN1-6|Boston:PE20-22|Peterborough:PE1-7|Norwich:NR1-8|King's Lynn:PE30-34|Ipswich:IP1-5|
  Bury St Edmunds:IP28-33|Colchester:CO1-7|Chelmsford:CM1-3|Southend-on-Sea:SS0-3|Cambridge:CB1-5|Ely:CB6-7|Bedford:MK40-45|Milton Keynes:MK1-15|Luton:LU1-4|
  Watford:WD17-25|St Albans:AL1-4|Slough:SL1-3|Guildford:GU1-4|Woking:GU21-24|Crawley:RH10-11|Brighton:BN1-2|Hastings:TN34-38|Maidstone:ME14-18|Canterbury:CT1-4|
  Dover:CT16-17|Croydon:CR0-9|Southampton:SO14-19|Portsmouth:PO1-6|Bournemouth:BH1-11|Salisbury:SP1-5|Swindon:SN1-6|Bath:BA1-3|Taunton:TA1-4|Exeter:EX1-6|
  Plymouth:PL1-9|Truro:TR1-4|Penzance:TR18-20|Gloucester:GL1-4|Cheltenham:GL50-54|Stroud:GL5-6|Worcester:WR1-8|Hereford:HR1-4|Shrewsbury:SY1-5|Telford:TF1-10|
  Stoke-on-Trent:ST1-12|Stafford:ST16-21|Walsall:WS1-9|Wolverhampton:WV1-14|Dudley:DY1-3|Coventry:CV1-8|Derby:DE1-24|Burton upon Trent:DE13-15|Northampton:NN1-7|
  Kettering:NN14-16|Chesterfield:S40-45|Macclesfield:SK10-11|Stockport:SK1-8|Oldham:OL1-4|Rochdale:OL11-16|Bolton:BL1-7|Bury:BL8-9|Wigan:WN1-6|Preston:PR1-5|
  Blackburn:BB1-6|Burnley:BB10-12|Blackpool:FY1-4|Lancaster:LA1-6|Kendal:LA8-9|Carlisle:CA1-6|Durham:DH1-7|Middlesbrough:TS1-8|Hexham:NE46-48|Darlington:DL1-3|
  Warrington:WA1-5|Chester:CH1-4|Birkenhead:CH41-43|Wrexham:LL11-14|Bangor:LL57-57|Aberystwyth:SY23-23|Swansea:SA1-8|Newport:NP10-20|Aberdeen:AB10-25|Dundee:DD1-5|
  Inverness:IV1-3|Perth:PH1-2|Stirling:FK7-9|Falkirk:FK1-5|Kirkcaldy:KY1-2|Paisley:PA1-3|Ayr:KA7-8|Dumfries:DG1-2|Galashiels:TD1-1|Motherwell:ML1-1|
  Lisburn:BT27-28|Newry:BT34-35|Omagh:BT78-79|Coleraine:BT51-52`)

const names = [
  [22, '{surname} {trade}'],
  [5, '{surname} & {surname2} {trade}'],
  [4, '{surname} & {surname2}'],
  [3, '{surname} {surname2} {profession}', 'LLP'],
  [6, '{initial}. {initial2}. {surname} {trade}'],
  [3, '{initial} & {initial2} {surname} {trade}'],
  [4, '{initial} {surname} & {kin}'],
  [4, '{surname} & {kin} ({place})'],
  [4, '{surname} Bros {trade}'],
  [3, '{given} {surname} {trade}'],
  [2, "{surname}'s {trade}"],
  [13, '{place} {trade}'],
  [2, 'The {place} {product} Company'],
  [2, '{place} & District {trade}'],
  [3, '{region} {trade}'],
  [2, '{region} {trade} ({place})'],
  [7, '{coined} {trade}'],
  [6, '{coined} {short}'],
  [3, '{coined}'],
  [2, '{coined} {place}'],
  [2, '{coined} International'],
  [12, '{compound} {trade}'],
  [3, '{compound} {short}'],
  [3, '{compound}'],
  [7, '{creature} {trade}'],
  [3, '{creature} {trade} ({place})'],
  [3, '{creature} {short} {place}'],
  [6, '{initials} {trade}'],
  [2, '{initials} {trade} ({place})'],
  [5, '{odd}'],
]

const givens = list(
  'Alan|Brian|Colin|Derek|Eric|Frank|Graham|Howard|Ian|Janet|Keith|Linda|Malcolm|Norman|Oliver|Peter|Ruth|Stuart|Terry|Victor|Wendy|Alice|Harriet|Martha|Edith|Imran|Priya|Kwame',
)

export const english = [
  {
    country: 'GB',
    count: 0,
    rest: true,
    words,
    surnames,
    givens,
    towns,
    names,
    forms: [
      [47, 'Limited'],
      [38, 'Ltd'],
      [2, 'PLC'],
      [1, 'LLP'],
      [3, 'Ltd.'],
      [1, 'CIC'],
    ],
    postcode: 'gb',
    phone: ['01632 960###', '03069 990###', '07700 900###', '0808 157 0###'],
    dial: '+44',
    lines: [
      [6, '{n} {street}'],
      [5, 'Unit {unit}', '{estate}'],
      [3, '{estate}', '{street}'],
      [2, 'Unit {unit}, {estate}', '{street}'],
      [1, '{range} {street}'],
    ],
    spelt: [
      [34, 'GB'],
      [24, 'UK'],
      [20, 'United Kingdom'],
      [12, ''],
      [5, 'England'],
      [3, 'Great Britain'],
      [2, 'GBR'],
    ],
  },
  {
    country: 'IE',
    count: 180,
    words: { ...words, region: list('Leinster|Munster|Connacht|Atlantic|Shannon|Liffey|Burren|Corrib|Boyne|Slaney') },
    givens: list('Aoife|Brendan|Ciarán|Declan|Eoin|Fergal|Gráinne|Niamh|Oisín|Pádraig|Séamus|Tadhg'),
    surnames:
      list(`Murphy|O'Sullivan|Byrne|Ó Dálaigh|Walsh|O'Connor|Doyle|McCarthy|Gallagher|O'Doherty|Kennedy|Lynch|Quinn|Fitzgerald|Nolan|Brennan|Dunne|Daly|Kavanagh|Clancy|Hogan|Mac Giolla|
      Ó Súilleabháin|Tierney|Fallon|Hanrahan|Mulcahy|Geraghty|Cosgrave|Lenihan|Devlin|Mannion|Rafferty|Scanlon|Shaughnessy|Breathnach`),
    towns:
      list(`Dublin 2:D02 ??##|Dublin 8:D08 ??##|Dublin 12:D12 ??##|Dublin 15:D15 ??##|Cork:T12 ??##|Limerick:V94 ??##|Galway:H91 ??##|Waterford:X91 ??##|Dundalk:A91 ??##|Sligo:F91 ??##|Athlone:N37 ??##|
      Letterkenny:F92 ??##|Kilkenny:R95 ??##|Wexford:Y35 ??##|Tralee:V92 ??##|Ennis:V95 ??##|Naas:W91 ??##|Drogheda:A92 ??##|Dún Laoghaire:A96 ??##`),
    names,
    forms: [
      [60, 'Limited'],
      [18, 'Ltd'],
      [12, 'DAC'],
      [4, 'Teoranta'],
      [4, 'CLG'],
      [2, 'PLC'],
    ],
    postcode: 'fill',
    phone: ['020 91# ####'],
    dial: '+353',
    lines: [
      [5, '{n} {street}'],
      [4, 'Unit {unit}', '{estate}'],
      [2, '{estate}', '{street}'],
    ],
    spelt: [
      [40, 'IE'],
      [35, 'Ireland'],
      [8, 'Eire'],
      [10, ''],
      [7, 'IRL'],
    ],
  },
  {
    country: 'US',
    count: 130,
    words: {
      ...words,
      trade: list(
        'Hardware|Lumber|Plumbing|Electric|Roofing|Machine|Tool & Die|Fabrication|Welding|Castings|Fasteners|Packaging|Pallets|Labels|Printing|Signs|Trucking|Freight|Logistics|Cold Storage|Foods|Bakery|Brewing|Coffee|Dairy|Orchards|Farms|Feed & Seed|Furniture|Flooring|Windows|Paint|Plastics|Rubber|Chemical|Instruments|Controls|Automation|Pumps|Valves|Hydraulics|Refrigeration|Heating & Air|Insulation|Fire Protection|Security|Janitorial|Uniforms|Textiles|Footwear|Dental Laboratory|Pharmacy|Medical Supply|Staffing|Consulting|Software|Systems|Data Services|Telecom|Media|Design|Marketing|Travel|Motors|Auto Body|Tire|Marine|Aviation|Construction|Paving|Concrete|Quarries|Disposal|Recycling|Landscaping|Nurseries|Tree Service|Fence|Pest Control|Realty|Insurance Agency|Capital|Leasing|Energy|Solar|Oil|Propane|Steel|Metals|Spring & Wire|Office Supply|Sporting Goods|Toys',
      ),
      region: list('Great Lakes|Gulf Coast|Blue Ridge|Cascade|Ozark|Prairie|Tidewater|Chesapeake|Sierra|Bluegrass'),
      street: list(
        'Main Street|Commerce Drive|Industrial Boulevard|Oak Avenue|Maple Street|Washington Avenue|Lincoln Highway|{compound} Parkway|{compound} Road|2nd Street|14th Avenue|State Route {unit}',
      ),
    },
    givens: list('Wayne|Earl|Chester|Dolores|Marjorie|Vernon|Hank|Rosa'),
    surnames: list(
      'Hendricks|Kowalczyk|Delgado|Lindqvist|Abernathy|Guthrie|Beaumont|Castellano|Drummond|Esposito|Fontaine|Gallegos|Hatfield|Ingram|Jankowski|Kessler|Lombardi|McCready|Novak|Ostrander|Pruitt|Quintero|Rasmussen|Schroeder|Tillman|Underhill|Vandermeer|Whitaker|Yoder|Zimmerman',
    ),
    towns: list(
      'Austin:787##:512-555-01##|Cleveland:441##:216-555-01##|Portland:972##:503-555-01##|Raleigh:276##:919-555-01##|Denver:802##:303-555-01##|Milwaukee:532##:414-555-01##|Pittsburgh:152##:412-555-01##|Tulsa:741##:918-555-01##|Boise:837##:208-555-01##|Wilmington:198##:302-555-01##|Omaha:681##:402-555-01##|Richmond:232##:804-555-01##|Tucson:857##:520-555-01##',
    ),
    names,
    forms: [
      [40, 'Inc.'],
      [12, ', Inc.'],
      [30, 'LLC'],
      [8, 'Corp.'],
      [5, 'Corporation'],
      [5, 'Co.'],
    ],
    postcode: 'fill',
    phone: [],
    dial: '+1',
    lines: [
      [6, '{big} {street}'],
      [2, '{big} {street}, Suite {unit}00'],
      [1, 'PO Box {big}'],
    ],
    spelt: [
      [45, 'US'],
      [30, 'USA'],
      [15, 'United States'],
      [10, ''],
    ],
  },
]
