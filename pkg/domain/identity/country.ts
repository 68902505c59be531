import { foldings } from '../fold-text.ts';
import { bareCell, type Reading, read, unread } from './reading.ts';

/** Languages in whose words countries are known: those of the product. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'];
/** Regions of Unicode that are no countries. */
const NO_COUNTRY = new Set(['EU', 'EZ', 'UN', 'ZZ', 'QO', 'XA', 'XB']);
/** What people write besides. */
const ALIASES: Readonly<Record<string, string>> = {
  uk: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  'great britain': 'GB',
  britain: 'GB',
  grossbritannien: 'GB',
  us: 'US',
  america: 'US',
  'united states of america': 'US',
  'etats-unis d amerique': 'US',
  uae: 'AE',
  vae: 'AE',
  holland: 'NL',
  holanda: 'NL',
  'the netherlands': 'NL',
  'czech republic': 'CZ',
  turkey: 'TR',
  turkiye: 'TR',
  'russian federation': 'RU',
  'viet nam': 'VN',
  korea: 'KR',
  'republic of korea': 'KR',
  'republic of ireland': 'IE',
};
/** ISO 3166-1: three letters beside two, of the countries whose three letters are no prefix rule. */
const THREE =
  `AND:AD ARE:AE AFG:AF ATG:AG ALB:AL ARM:AM AGO:AO ARG:AR AUT:AT AUS:AU AZE:AZ BIH:BA BRB:BB BGD:BD BEL:BE BFA:BF BGR:BG BHR:BH BDI:BI
   BEN:BJ BRN:BN BOL:BO BRA:BR BHS:BS BTN:BT BWA:BW BLR:BY BLZ:BZ CAN:CA COD:CD CAF:CF COG:CG CHE:CH CIV:CI CHL:CL CMR:CM CHN:CN COL:CO
   CRI:CR CUB:CU CPV:CV CYP:CY CZE:CZ DEU:DE DJI:DJ DNK:DK DMA:DM DOM:DO DZA:DZ ECU:EC EST:EE EGY:EG ERI:ER ESP:ES ETH:ET FIN:FI FJI:FJ
   FRA:FR GAB:GA GBR:GB GRD:GD GEO:GE GHA:GH GIB:GI GMB:GM GIN:GN GNQ:GQ GRC:GR GTM:GT GNB:GW GUY:GY HKG:HK HND:HN HRV:HR HTI:HT HUN:HU
   IDN:ID IRL:IE ISR:IL IND:IN IRQ:IQ IRN:IR ISL:IS ITA:IT JAM:JM JOR:JO JPN:JP KEN:KE KGZ:KG KHM:KH PRK:KP KOR:KR KWT:KW KAZ:KZ LAO:LA
   LBN:LB LIE:LI LKA:LK LBR:LR LSO:LS LTU:LT LUX:LU LVA:LV LBY:LY MAR:MA MCO:MC MDA:MD MNE:ME MDG:MG MKD:MK MLI:ML MMR:MM MNG:MN MAC:MO
   MRT:MR MLT:MT MUS:MU MDV:MV MWI:MW MEX:MX MYS:MY MOZ:MZ NAM:NA NER:NE NGA:NG NIC:NI NLD:NL NOR:NO NPL:NP NZL:NZ OMN:OM PAN:PA PER:PE
   PNG:PG PHL:PH PAK:PK POL:PL PRI:PR PSE:PS PRT:PT PRY:PY QAT:QA ROU:RO SRB:RS RUS:RU RWA:RW SAU:SA SDN:SD SWE:SE SGP:SG SVN:SI SVK:SK
   SLE:SL SMR:SM SEN:SN SOM:SO SUR:SR SSD:SS SLV:SV SYR:SY SWZ:SZ TCD:TD TGO:TG THA:TH TJK:TJ TKM:TM TUN:TN TUR:TR TTO:TT TWN:TW TZA:TZ
   UKR:UA UGA:UG USA:US URY:UY UZB:UZ VAT:VA VEN:VE VNM:VN XKX:XK YEM:YE ZAF:ZA ZMB:ZM ZWE:ZW`
    .split(/\s+/)
    .map((pair) => pair.split(':') as [string, string]);

let known: ReadonlyMap<string, string> | undefined;

/** Reads a country: its name in the eight languages of the product, two or three letters of ISO 3166, `UK`, `USA`. @returns two letters */
export function readCountry(text: string): Reading<string> {
  known ??= namesOfCountries();
  const country = known.get(plain(bareCell(text)));
  return country === undefined ? unread('is no country such as Germany, DE or DEU') : read(country);
}

function namesOfCountries(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((a) => letters.map((b) => `${a}${b}`)).filter(isCountry);
  for (const language of LANGUAGES) {
    const named = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    for (const code of codes) {
      const name = named.of(code);
      if (name !== undefined && !names.has(plain(name))) names.set(plain(name), code);
    }
  }
  for (const code of codes) names.set(code.toLowerCase(), code);
  for (const [three, two] of THREE) names.set(three.toLowerCase(), two);
  for (const [alias, code] of Object.entries(ALIASES)) names.set(alias, code);
  return names;
}

/** A code that has a name, and is not another one's older form. */
function isCountry(code: string): boolean {
  if (NO_COUNTRY.has(code) || new Intl.Locale(`und-${code}`).region !== code) return false;
  return new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code) !== undefined;
}

function plain(text: string): string {
  return (foldings(text)[0] ?? '').replace(/\./g, '').replace(/[’']/g, ' ').replace(/\s+/g, ' ').trim();
}
