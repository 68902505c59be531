/** Names that other tools give to what a template may use, letters and digits alone; to the product's own placeholder. */
const NAMES: readonly (readonly [own: string, names: string])[] = [
  [
    '{{lead:firstName}}',
    'firstname first fname givenname forename vorname prenom nombre nome voornaam imie recipientfirstname namefirst firstnm',
  ],
  [
    '{{lead:lastName}}',
    'lastname last lname surname familyname nachname nomdefamille apellido cognome achternaam sobrenome nazwisko namelast',
  ],
  [
    '{{lead:fullName}}',
    'fullname name contactname leadname recipientname prospectname displayname vollername nomcomplet nombrecompleto',
  ],
  [
    '{{lead:company}}',
    'company companyname organization organisation organizationname organisationname accountname account employer firm firma firmenname unternehmen entreprise societe empresa azienda bedrijf companyshort cleancompany casualcompanyname',
  ],
  ['{{lead:title}}', 'title jobtitle position role jobrole designation poste cargo funktion stelle occupation'],
  ['{{lead:industry}}', 'industry sector branche industrie vertical'],
  ['{{lead:location}}', 'location city town state region stadt ville ciudad citta ort'],
  ['{{lead:country}}', 'country land pays pais paese countryname'],
  ['{{lead:email}}', 'email emailaddress mail workemail businessemail'],
  ['{{lead:headline}}', 'headline tagline'],
  ['{{lead:seniority}}', 'seniority level'],
  [
    '{{sender:firstName}}',
    'senderfirstname sendername myfirstname myname yourname yourfirstname userfirstname ownerfirstname fromname fromfirstname repname sendersfirstname absendername meinname',
  ],
  [
    '{{sender:fullName}}',
    'senderfullname myfullname yourfullname userfullname ownername ownerfullname fromfullname signature sendersignature accountsignature',
  ],
  [
    '{{unsubscribe_url}}',
    'unsubscribe unsubscribelink unsubscribeurl unsub unsublink optout optoutlink optouturl listunsubscribe subscriptionpreferences',
  ],
];
const OWN = new Map(NAMES.flatMap(([own, names]) => names.split(' ').map((name): [string, string] => [name, own])));

/** What other tools put before a name: whose it is. */
const WHOSE =
  /^(?:contact|lead|person|prospect|recipient|subscriber|customer|client|user|properties|attributes|fields?|vars?|merge|data|custom)(?=[a-z])/;

/** The product's own placeholder for a name of another tool (`first_name`, `Contact.FirstName`, `FNAME`); null: it has none. */
export function ownFormOf(name: string): string | null {
  const plain = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  const own = OWN.get(plain) ?? OWN.get(plain.replace(WHOSE, ''));
  return own ?? null;
}
