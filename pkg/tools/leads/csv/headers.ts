import { OPT_OUT_COLUMNS, type OptOutColumn, optOutColumn } from '../../../domain/opt-out-column.ts';

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

/** Header names as CRMs, networks and address books export them, reduced to letters and digits; of several the first wins. */
const KNOWN: ReadonlyMap<string, LeadField> = new Map(
  (
    [
      [
        'firstName',
        `firstname first givenname vorname prenom nombre fname nome imie voornaam primeironome
         forename primernombre nomepropio nomeproprio nompropre rufname imiona jmeno givennames`,
      ],
      [
        'lastName',
        `lastname last surname familyname nachname nom apellido apellidos lname cognome nazwisko achternaam sobrenome ultimonome familienname
         primerapellido lastnames apellidopaterno nomdefamille apelido apelidos nazwiskorodowe zuname patronyme
         prijmeni nomdusage`,
      ],
      [
        'fullName',
        'fullname name contactname personname leadname kontakt displayname nomcomplet nombrecompleto nomecompleto volledigenaam naam imieinazwisko contact person vollstandigername',
      ],
      ['headline', 'headline tagline'],
      [
        'title',
        `title jobtitle position role jobposition positiontitel berufsbezeichnung currenttitle organizationtitle organization1title personjobtitle functie stanowisko fonction poste cargo ruolo puesto funktion currentposition jobrole designation
         qualifica titredefonction fonctionprofessionnelle intituleduposte intituledeposte intitule jobbezeichnung
         berufstitel stellenbezeichnung beruf posizione posicion posicao mansione puestodetrabajo cargoactual
         funcao funcion funzione functietitel functieomschrijving functienaam tytulzawodowy profession`,
      ],
      ['seniority', 'seniority senioritylevel managementlevel'],
      [
        'company',
        `company companyname companynameforemails organization organisation employer account accountname firma unternehmen entreprise empresa
         currentcompany companyaccount organizationname organisationname organization1name personorganization personorganisation associatedcompany
         associatedcompanyprimary primaryassociatedcompany primarycompany associatedcompanynames currentemployer azienda societe bedrijf
         bedrijfsnaam nazwafirmy firmenname unternehmensname companynamecleaned cleanedcompanyname business businessname employername
         raisonsociale nomdelentreprise nomentreprise nomdelasociete nomsociete ragionesociale nomeazienda
         compania nombredelaempresa nombreempresa razonsocial organizacion organizacao organizzazione organizacja
         organisatie nomedaempresa nomeempresa razaosocial przedsiebiorstwo arbeitgeber societa`,
      ],
      [
        'companyDomain',
        `companydomain domain website companywebsite companyurl webseite websiteurl companydomainname webpage businesshomepage website1value
         organizationwebsite homepage internetseite siteweb sitioweb sitoweb companywebsiteurl primarydomain corporatewebsite personalwebpage
         stronawww stronainternetowa paginaweb pageweb siteinternet sitiodeinternet sitewebentreprise paginadaweb
         urlentreprise dominio domaine domein domena businesswebsite firmenwebsite firmenwebseite
         unternehmenswebsite`,
      ],
      ['industry', 'industry branche sector companyindustry industrie secteur settore branza setor'],
      [
        'companySize',
        `companysize employees numberofemployees noofemployees employeecount headcount mitarbeiter companyheadcount size employeesize employeerange
         companyemployees mitarbeiterzahl mitarbeiteranzahl effectif empleados dipendenti`,
      ],
      [
        'location',
        `location city ort stadt personlocation region ville mailingcity businesscity personcity contactcity address1city homecity othercity
         ortgeschaftlich ciudad citta cidade stad plaats miasto wohnort
         villebureau villeprofessionnelle localidad localidade localita miejscowosc wohnort standort poblacion
         municipio plaatsnaam woonplaats comune citybusiness villetravail`,
      ],
      [
        'country',
        `country countryregion land pays pais companycountry mailingcountry businesscountry businesscountryregion personcountry contactcountry
         address1country landregiongeschaftlich landgeschaftlich landregion paese kraj countrycode cc paisregion paysregion
         nazione`,
      ],
      [
        'timezone',
        'timezone timezonename zeitzone fuseau fuseauhoraire zonahoraria fusohorario fusoorario tijdzone strefaczasowa hstimezone',
      ],
      [
        'profileUrl',
        `profileurl linkedin linkedinurl linkedinprofile personlinkedinurl linkedinprofileurl profile url networkprofile profil defaultprofileurl
         publicprofileurl linkedinurlperson personlinkedin linkedinbio contactlinkedin contactlinkedinurl leadlinkedinurl linkedinlink linkedinprofil
         linkedincontactprofileurl hslinkedinurl linkedinpublicurl profilelink salesnavigatorurl linkedinaddress`,
      ],
      [
        'email',
        `email emailaddress mail workemail primaryemail businessemail emailadresse courriel correo contactemail email1value emailwork personemail
         personemailwork email1 emailprimary emailaddress1 mailadresse adresseemail adressemail correoelectronico indirizzoemail enderecodeemail
         emailadres adresemail adresemail1 emailbusiness professionalemail leademail personalemail emailaddressprimary emailadresse1
         emailprofessionnel adressedemessagerie adressedemessagerieprofessionnelle emailgeschaftlich
         geschaftlicheemail emaildienstlich dienstlicheemail direcciondecorreoelectronico direcciondecorreo
         direccionemail indirizzopostaelettronica indirizzodipostaelettronica indirizzomail postaelettronica
         correioeletronico correioelectronico enderecoemail enderecodecorreioeletronico
         enderecodecorreioelectronico adrespocztyelektronicznej pocztaelektroniczna emailbedrijf zakelijkemail
         zakelijkeemail emailzakelijk mailprofessionnel mailpro emailpro courrielprofessionnel adressecourriel
         correoprofesional emailaziendale emailprofissional emailsluzbowy adressemessagerie`,
      ],
      [
        'phone',
        `phone phonenumber mobile mobilephone telefon workphone telephone directphone phone1value businessphone mobilephonenumber primaryphone
         personphone personphonework phonework workdirectphone corporatephone telefongeschaftlich mobiltelefon telefonnummer telefono telefone
         telefoon handy numerotelefonu mobil
         telephonemobile cellulare movil telefonomovil telemovel celular telefonkomorkowy komorka gsm portable
         numerodetelephone numerodetelefono numeroditelefono mobielenummer telefoonnummer mobiel mobilnummer
         handynummer telefonocellulare telephoneprofessionnel numertelefonu`,
      ],
    ] as const
  ).flatMap(([field, names]) => names.split(/\s+/).map((name) => [name, field] as const)),
);

/** Address books call a salutation so; it is a job title only where no column says that it is one. */
const SALUTATION_TOO = 'title';

/** Field of a header; null: not known. */
function fieldOf(header: string): LeadField | null {
  return KNOWN.get(plainHeader(header)) ?? null;
}

/**
 * Field of a header beside those that the file names: `Name` beside `Vorname` is the family name (German and Dutch address books),
 * `Nome` without a column of family names is the whole name.
 */
function nameField(header: string, named: ReadonlySet<string | null>): LeadField | null {
  const field = fieldOf(header);
  if (named.has('lastName')) return field;
  if (field === 'fullName' && named.has('firstName') && /^(?:name|naam)$/.test(plainHeader(header))) return 'lastName';
  return field === 'firstName' && /^(?:nome|nombre)$/.test(plainHeader(header)) && !named.has('fullName')
    ? 'fullName'
    : field;
}

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
  const known = new Set(cells.flatMap((cell) => fieldOf(cell) ?? []));
  return known.size >= 2 || cells.some((cell) => Object.hasOwn(mapping, cell.trim()));
}

/** Where each column goes: a lead field, a custom field, the exclusions, or nowhere. */
export type ColumnTarget =
  | { field: LeadField }
  // A custom field of an export that marks people marks them all the same.
  | { custom: string; optOut?: OptOutColumn; header?: string }
  | { optOut: OptOutColumn; header: string }
  | null;

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
    const parsed = typeof target === 'string' ? parseTarget(target, column) : null;
    if (parsed === null) {
      return {
        targets: [],
        problem: `${path}: must be one of ${LEAD_FIELDS.join(', ')}, ${OPT_OUT_COLUMNS.join(', ')} or customFields.<name>`,
      };
    }
    const marks =
      'optOut' in parsed && parsed.optOut !== 'consent' && target !== 'contactStatus' && !('custom' in parsed);
    if (marks && optOutColumn(column) === 'consent') {
      return {
        targets: [],
        problem: `${path}: the column says who agreed, so a yes in it excludes nobody: name consent`,
      };
    }
    if ('field' in parsed && taken.has(parsed.field)) {
      return { targets: [], problem: `${path}: another column goes to ${parsed.field} already` };
    }
    if ('field' in parsed) taken.add(parsed.field);
  }
  const named = new Set<string | null>([...headers.map(fieldOf), ...taken]);
  const jobTitle = headers.some((header) => fieldOf(header) === 'title' && plainHeader(header) !== SALUTATION_TOO);
  const targets = headers.map((header): ColumnTarget => {
    const explicit = Object.hasOwn(mapping, header) ? mapping[header] : undefined;
    if (typeof explicit === 'string') return parseTarget(explicit, header);
    const field = nameField(header, named);
    if (field === null) return optOutTarget(header);
    if (taken.has(field) || (jobTitle && plainHeader(header) === SALUTATION_TOO)) return null;
    taken.add(field);
    return { field };
  });
  return { targets, problem: null };
}

/** A target in the words of `mapping`; null: the column goes nowhere. */
export function targetName(target: ColumnTarget): string | null {
  if (target === null) return null;
  if ('field' in target) return target.field;
  return 'custom' in target ? `customFields.${target.custom}` : target.optOut;
}

function optOutTarget(header: string): ColumnTarget {
  const optOut = optOutColumn(header);
  return optOut === null ? null : { optOut, header };
}

function parseTarget(text: string, header: string): ColumnTarget {
  const custom = /^customFields\.([A-Za-z0-9_]{1,60})$/.exec(text)?.[1];
  const optOut = optOutColumn(header);
  if (custom !== undefined) {
    if (custom === '__proto__') return null;
    return optOut === null ? { custom } : { custom, optOut, header };
  }
  const field = LEAD_FIELDS.find((name) => name === text);
  const marks = OPT_OUT_COLUMNS.find((name) => name === text);
  if (marks) return { optOut: marks, header };
  return field ? { field } : null;
}
