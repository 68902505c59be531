import { expect } from 'chai';
import { looksLikeHeader } from '../../../pkg/tools/leads/csv/headers.ts';
import { type CsvReading, readCsv } from '../../../pkg/tools/leads/csv/read-csv.ts';

const read = (text: string, mapping: Record<string, unknown> = {}): CsvReading => readCsv(text, mapping);
const only = (text: string, mapping: Record<string, unknown> = {}): CsvReading['leads'][number] => {
  const [lead] = read(text, mapping).leads;
  if (!lead) throw new Error(JSON.stringify(read(text, mapping).problems));
  return lead;
};
const column = (header: string, cell: string): CsvReading =>
  read(`Email,Name,Company,${header}\n"ida@x.example",Ida Roth,X,"${cell.replaceAll('"', '""')}"\n`);

describe('columns as exports name them', () => {
  const rows: Record<string, [string, Record<string, string>]> = {
    HubSpot: [
      '\uFEFFRecord ID;First Name;Last Name;Email;Job Title;Associated Company (Primary);Country/Region;Website URL\n1;Ida;Roth;ida@x.example;CEO;X GmbH;Germany;https://www.x.example\n',
      { firstName: 'Ida', company: 'X GmbH', title: 'CEO', companyDomain: 'x.example', country: 'Germany' },
    ],
    Apollo: [
      'First Name,Last Name,Title,Company Name,Email,Person Linkedin Url,Website,City\nIda,Roth,CEO,X GmbH,ida@x.example,http://www.linkedin.com/in/ida-roth,x.example,Bonn\n',
      { company: 'X GmbH', title: 'CEO', profileUrl: 'https://www.linkedin.com/in/ida-roth', location: 'Bonn' },
    ],
    Salesforce: [
      'First Name,Last Name,Title,Company / Account,Email,Mailing City,Mailing Country\nIda,Roth,CEO,X GmbH,ida@x.example,Bonn,Germany\n',
      { company: 'X GmbH', location: 'Bonn', country: 'Germany' },
    ],
    Pipedrive: [
      'Person - Name,Person - Email - Work,Person - Phone - Work,Person - Organization,Person - Job title\nIda Roth,ida@x.example,+49 228 12345,X GmbH,CEO\n',
      { company: 'X GmbH', title: 'CEO', phone: '+49 228 12345' },
    ],
    Mailchimp: ['Email Address,First Name,Last Name\nida@x.example,Ida,Roth\n', { firstName: 'Ida' }],
    lemlist: [
      'email,firstName,lastName,companyName,linkedinUrl,jobTitle,companyDomain\nida@x.example,Ida,Roth,X GmbH,https://www.linkedin.com/in/ida-roth,CEO,x.example\n',
      { company: 'X GmbH', title: 'CEO', companyDomain: 'x.example' },
    ],
    Instantly: [
      'Email,First Name,Last Name,Company Name,Website\nida@x.example,Ida,Roth,X GmbH,x.example\n',
      { company: 'X GmbH' },
    ],
    Outlook: [
      'Title,First Name,Last Name,Company,Job Title,Business Phone,E-mail Address,Business City\nMr.,Ida,Roth,X GmbH,CEO,+49 228 12345,ida@x.example,Bonn\n',
      { title: 'CEO', company: 'X GmbH', location: 'Bonn' },
    ],
    LinkedIn: [
      'First Name,Last Name,URL,Email Address,Company,Position,Connected On\nIda,Roth,https://www.linkedin.com/in/ida-roth,ida@x.example,X GmbH,CEO,01 Jan 2026\n',
      { title: 'CEO', profileUrl: 'https://www.linkedin.com/in/ida-roth' },
    ],
    'Google Contacts': [
      'First Name,Last Name,Organization Name,Organization Title,E-mail 1 - Label,E-mail 1 - Value,Website 1 - Value\nIda,Roth,X GmbH,CEO,Work,ida@x.example,https://x.example\n',
      { company: 'X GmbH', title: 'CEO', companyDomain: 'x.example' },
    ],
  };
  for (const [name, [text, fields]] of Object.entries(rows))
    it(`of ${name}`, () => {
      const lead = only(text);
      const { firstName, ...others } = fields;
      expect(lead).to.include({ ...others, email: 'ida@x.example' });
      if (firstName) expect(lead.firstName).to.equal(firstName);
      expect(lead.lastName).to.equal('Roth');
    });

  it('address books of eight languages name a person, a company and a mail address', () => {
    for (const header of [
      'Anrede,Vorname,Nachname,Firma,Position,E-Mail-Adresse',
      'Titre,Prénom,Nom,Société,Titre de fonction,Adresse de messagerie',
      'Prénom,Nom de famille,Raison sociale,Intitulé du poste,E-mail professionnel',
      'Tratamiento,Nombre,Apellidos,Organización,Puesto,Dirección de correo electrónico',
      'Nombre,Primer apellido,Compañía,Cargo,Email',
      'Titolo,Nome,Cognome,Società,Posizione,Indirizzo posta elettronica',
      'Nome,Cognome,Ragione sociale,Qualifica,E-mail',
      'Titel,Voornaam,Achternaam,Bedrijf,Functie,E-mailadres',
      'Título,Nome,Sobrenome,Empresa,Cargo,Endereço de e-mail',
      'Primeiro nome,Apelido,Empresa,Função,Correio eletrónico',
      'Imię,Nazwisko,Nazwa firmy,Stanowisko,Adres poczty elektronicznej',
      'Nachname,Vorname,Firmenname,Berufsbezeichnung,E-Mail geschäftlich',
      'Name,Vorname,Firma,Position,E-Mail',
      'Voornaam,Naam,Bedrijf,Functie,E-mail',
    ]) {
      const plain = header.replace(/^(?:Anrede|Titre|Tratamiento|Titolo|Titel|Título),/, '');
      const familyFirst = /^(?:Nachname|Name),/.test(plain);
      const lead = only(`${plain}\n${familyFirst ? 'Roth,Ida' : 'Ida,Roth'},X,CEO,ida@x.example\n`);
      const { firstName, lastName, fullName, company, title, email } = lead;
      expect({ firstName, lastName, fullName, company, title, email }, header).to.deep.equal({
        firstName: 'Ida',
        lastName: 'Roth',
        fullName: 'Ida Roth',
        company: 'X',
        title: 'CEO',
        email: 'ida@x.example',
      });
    }
  });

  it('a name beside a given name is the family name, unless the given name stands in it', () => {
    expect(only('Vorname,Name,Email\nIda,Ida Roth,ida@x.example\n')).to.include({
      lastName: 'Roth',
      fullName: 'Ida Roth',
    });
    expect(only('Nome,Email\nIda Roth,ida@x.example\n')).to.include({ firstName: 'Ida', lastName: 'Roth' });
  });

  it('a salutation is no job title', () => {
    expect(only('Title,Name,Company\nMrs.,Ida Roth,X\n').title).to.equal('');
    expect(looksLikeHeader(['Vorname', 'Firma'], {})).to.equal(true);
  });
});

describe('opt-outs of exports become exclusions', () => {
  const excluded: [header: string, cell: string, source: string][] = [
    ['Do Not Contact', 'TRUE', 'import'],
    ['Stage', 'Do Not Contact', 'import'],
    ['Email Status', 'Bounced', 'bounce'],
    ['Unsubscribed from all email', 'true', 'unsubscribe'],
    ['Opted out of email: Marketing Information', 'Yes', 'unsubscribe'],
    ['Email hard bounce reason', 'UNKNOWN_USER', 'bounce'],
    ['Email Opt Out', '1', 'unsubscribe'],
    ['HasOptedOutOfEmail', 'true', 'unsubscribe'],
    ['Lead Status', 'Unsubscribed', 'unsubscribe'],
    ['Lead Status', 'Not interested', 'import'],
    ['Person - Labels', 'Hot lead, Do not contact', 'import'],
    ['Person - Marketing status', 'Unsubscribed', 'unsubscribe'],
    ['UNSUB_TIME', '2026-01-02 10:00:00', 'unsubscribe'],
    ['CLEAN_TIME', '2026-01-02 10:00:00', 'bounce'],
    ['isUnsubscribed', 'true', 'unsubscribe'],
    ['lemlistStatus', 'emailsBounced', 'bounce'],
    ['Status', '-2', 'unsubscribe'],
    ['lt_interest_status', '-1', 'import'],
    ['Nicht kontaktieren', 'ja', 'import'],
    ['Abgemeldet', 'x', 'unsubscribe'],
    ['Désabonné', 'oui', 'unsubscribe'],
    ['Ne pas contacter', 'Vrai', 'import'],
    ['No contactar', 'sí', 'import'],
    ['Disiscritto', 'vero', 'unsubscribe'],
    ['Não contatar', 'sim', 'import'],
    ['Uitgeschreven', 'waar', 'unsubscribe'],
    ['Nie kontaktować', 'tak', 'import'],
    ['Blacklisted', '✓', 'unsubscribe'],
  ];
  for (const [header, cell, source] of excluded)
    it(`${header}: ${cell}`, () => {
      expect(column(header, cell).leads[0]?.exclusion).to.include({ source });
    });

  it('a no in any language, and a state that says nothing of it, excludes nobody', () => {
    for (const no of ['FALSE', '0', 'no', 'nein', 'non', 'falso', 'não', 'nee', 'nie', 'onwaar', '', '-', 'subscribed'])
      expect(column('Unsubscribed', no).leads[0]?.exclusion, no).to.equal(null);
    for (const state of ['New', 'Cold', 'Open deal', 'Verified', 'Customer', 'not unsubscribed', 'Interested'])
      expect(column('Lead Status', state).leads[0]?.exclusion, state).to.equal(null);
    expect(column('Email Open', 'TRUE').leads[0]?.exclusion).to.equal(null);
  });

  it('a mapping target takes a column of any name; a custom field of a known one excludes all the same', () => {
    const text = 'Email,Rot\nida@x.example,ja\n';
    expect(only(text, { Rot: 'doNotContact' }).exclusion).to.include({ source: 'import' });
    expect(only(text, { Rot: 'bounced' }).exclusion).to.include({ source: 'bounce' });
    expect(only(text, { Rot: 'unsubscribed' }).exclusion).to.include({ source: 'unsubscribe' });
    const kept = only('Email,Do Not Contact\nida@x.example,yes\n', { 'Do Not Contact': 'customFields.dnc' });
    expect(kept.customFields).to.deep.equal({ dnc: 'yes' });
    expect(kept.exclusion).to.include({ source: 'import' });
  });

  it('a column of consent excludes by its no, is no mark by its yes, and its unclear cells are told', () => {
    const { leads, columns } = read('Email,Consent\na@x.example,No\nb@x.example,Yes\nc@x.example,Tuesday\n');
    expect(leads.map(({ exclusion }) => exclusion?.source ?? null)).to.deep.equal(['import', null, null]);
    expect(columns[0]?.message).to.match(/neither yes nor no.*"Consent"/);
    expect(columns[0]?.message).to.not.include('doNotContact');
    expect(() => read('Email,Consent\na@x.example,Yes\n', { Consent: 'doNotContact' })).to.throw(/name consent/);
    const mapped = read('Email,Darf ich\na@x.example,nein\n', { 'Darf ich': 'consent' });
    expect(mapped.leads[0]?.exclusion).to.include({ source: 'import' });
  });

  it('an unknown column whose cells say so is named first too, also one that goes to a custom field', () => {
    const { columns } = read('Email,Zeta,Remarks\nida@x.example,1,do not contact\n');
    expect(columns[0]?.message).to.match(/may say who must not be contacted.*"Remarks"/);
    const kept = read('Email,Remarks\nida@x.example,Unsubscribed\n', { Remarks: 'customFields.remarks' });
    expect(kept.columns[0]?.message).to.match(/may say who must not be contacted.*"Remarks"/);
    expect(read('Email,Zeta\nida@x.example,we contact them in May\n').columns[0]?.message).to.match(
      /not imported: "Zeta"/,
    );
  });

  it('an unknown column that looks like one is named first', () => {
    const { columns, notes } = read('Email,Zeta,GDPR source text,Phone\nida@x.example,1,withdrawn,abc\n');
    expect([columns.length, notes.length]).to.deep.equal([2, 1]);
    expect(columns[0]?.message).to.match(/may say who must not be contacted.*"GDPR source text"/);
    expect(columns[1]?.message).to.match(/not imported: "Zeta"/);
  });
});

describe('a text is an identity only when it has the form of one', () => {
  it('a bad cell costs the cell, not the row', () => {
    const { leads, notes, problems } = read(
      'Name,Company,LinkedIn,Email\nAda Lee,X,https://www.linkedin.com/in/ada-lee,ada@@x\n',
    );
    expect(problems).to.deep.equal([]);
    expect(leads[0]).to.include({ profileId: 'ada-lee', email: null });
    expect(notes).to.deep.equal([{ row: 2, field: 'email', message: '"ada@@x" is no mail address' }]);
  });

  it('of two addresses the first is used and the second kept', () => {
    const { leads, notes } = read('Email\na@x.example; b@x.example\n');
    expect(leads[0]?.email).to.equal('a@x.example');
    expect(leads[0]?.customFields).to.deep.equal({ email2: 'b@x.example' });
    expect(notes[0]?.message).to.match(/several mail addresses/);
  });

  for (const cell of [
    'LinkedIn',
    'Profil',
    'FALSE',
    'https://www.linkedin.com/profile/view?id=77',
    'https://www.xing.com/profile/Sara_Zehn',
  ])
    it(`${cell} is nobody's profile, and says so`, () => {
      const { leads, notes } = column('LinkedIn', cell);
      expect(leads[0]).to.include({ profileId: null, profileUrl: '', email: 'ida@x.example' });
      expect(notes[0]).to.include({ row: 2, field: 'profileUrl' });
    });

  it('a host that many companies share is no company domain', () => {
    for (const url of ['https://www.linkedin.com/company/201', 'facebook.com/x', 'https://de.linkedin.com/company/a'])
      expect(column('Website', url).leads[0]?.companyDomain, url).to.equal('x.example');
  });

  it('a time zone that several places share is left out with a note', () => {
    for (const zone of ['BST', 'NST', 'EST', 'IST']) {
      const { leads, notes } = column('Time zone', zone);
      expect(leads[0]?.timezone, zone).to.equal('');
      expect(notes[0]).to.include({ field: 'timezone' });
    }
    expect(column('Time zone', 'W. Europe Standard Time').leads[0]?.timezone).to.equal('Europe/Berlin');
  });

  it('damaged text is noted', () => {
    for (const name of ['J\uFFFDrg', 'JÃ¼rgen'])
      expect(read(`First name,Email\n${name},j@x.example\n`).notes[0]?.message, name).to.match(/is damaged text/);
  });

  it('rows are told as spreadsheets count them', () => {
    const { sheetRows } = read('Email,Headline\na@x.example,"one\ntwo"\nb@x.example,x\n');
    expect([...sheetRows]).to.deep.equal([[4, 3]]);
  });
});
