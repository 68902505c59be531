/** Fields that a column can fill. */
export const LEAD_FIELDS = [
  'firstName',
  'lastName',
  'fullName',
  'headline',
  'title',
  'seniority',
  'company',
  'companyDomain',
  'industry',
  'companySize',
  'location',
  'country',
  'timezone',
  'profileUrl',
  'email',
  'phone',
] as const;
export type LeadField = (typeof LEAD_FIELDS)[number];

/** Header names as CRMs and networks export them, reduced to letters and digits. */
const KNOWN: ReadonlyMap<string, LeadField> = new Map(
  (
    [
      ['firstName', 'firstname first givenname vorname prenom nombre'],
      ['lastName', 'lastname last surname familyname nachname nom apellido apellidos'],
      ['fullName', 'fullname name contactname personname leadname kontakt'],
      ['headline', 'headline tagline'],
      ['title', 'title jobtitle position role jobposition positiontitel berufsbezeichnung currenttitle'],
      ['seniority', 'seniority senioritylevel managementlevel'],
      [
        'company',
        'company companyname companynameforemails organization organisation employer account accountname firma unternehmen entreprise empresa currentcompany',
      ],
      ['companyDomain', 'companydomain domain website companywebsite companyurl webseite'],
      ['industry', 'industry branche sector companyindustry industrie'],
      [
        'companySize',
        'companysize employees numberofemployees noofemployees employeecount headcount mitarbeiter companyheadcount size',
      ],
      ['location', 'location city ort stadt personlocation region ville'],
      ['country', 'country countryregion land pays pais companycountry'],
      ['timezone', 'timezone'],
      [
        'profileUrl',
        'profileurl linkedin linkedinurl linkedinprofile personlinkedinurl linkedinprofileurl profile url networkprofile profil defaultprofileurl publicprofileurl',
      ],
      [
        'email',
        'email emailaddress mail workemail primaryemail businessemail emailadresse courriel correo contactemail',
      ],
      ['phone', 'phone phonenumber mobile mobilephone telefon workphone telephone directphone'],
    ] as const
  ).flatMap(([field, names]) => names.split(' ').map((name) => [name, field] as const)),
);

/** Reduces a header to letters and digits, without accents: `E-Mail Adresse` is `emailadresse`. */
export function plainHeader(header: string): string {
  return header
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

/** Whether a row looks like the header: it names two known columns, or one that the mapping speaks of. */
export function looksLikeHeader(cells: readonly string[], mapping: Record<string, unknown>): boolean {
  const known = new Set(cells.flatMap((cell) => KNOWN.get(plainHeader(cell)) ?? []));
  return known.size >= 2 || cells.some((cell) => Object.hasOwn(mapping, cell.trim()));
}

/** Where each column goes: a lead field, a custom field, or nowhere. */
export type ColumnTarget = { field: LeadField } | { custom: string } | null;

/**
 * Decides the columns. An explicit mapping (column → field or `customFields.<name>`) wins over known header names.
 * @returns targets by position, and what is wrong with the mapping
 */
export function mapColumns(
  headers: readonly string[],
  mapping: Record<string, unknown>,
): { targets: ColumnTarget[]; problem: string | null } {
  const taken = new Set<string>();
  for (const [column, target] of Object.entries(mapping)) {
    const path = `mapping.${column.slice(0, 60).toWellFormed()}`;
    if (!headers.includes(column)) return { targets: [], problem: `${path}: the file has no such column` };
    const parsed = typeof target === 'string' ? parseTarget(target) : null;
    if (parsed === null) {
      return { targets: [], problem: `${path}: must be one of ${LEAD_FIELDS.join(', ')} or customFields.<name>` };
    }
    if ('field' in parsed && taken.has(parsed.field)) {
      return { targets: [], problem: `${path}: another column goes to ${parsed.field} already` };
    }
    if ('field' in parsed) taken.add(parsed.field);
  }
  const targets = headers.map((header): ColumnTarget => {
    const explicit = Object.hasOwn(mapping, header) ? mapping[header] : undefined;
    if (typeof explicit === 'string') return parseTarget(explicit);
    const field = KNOWN.get(plainHeader(header));
    if (field === undefined || taken.has(field)) return null;
    taken.add(field);
    return { field };
  });
  return { targets, problem: null };
}

function parseTarget(text: string): ColumnTarget {
  const custom = /^customFields\.([A-Za-z0-9_]{1,60})$/.exec(text)?.[1];
  if (custom !== undefined) return custom === '__proto__' ? null : { custom };
  const field = LEAD_FIELDS.find((name) => name === text);
  return field ? { field } : null;
}
