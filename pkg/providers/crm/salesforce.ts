import { z } from 'zod';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import { CallError } from '../call-error.ts';
import type { CrmAccess, CrmObject, CrmOptions, CrmProvider, CrmPush } from './crm-provider.ts';
import { askSalesforce, query, quoted } from './salesforce-http.ts';
import { salesforceLists } from './salesforce-lists.ts';

const DAY_MS = 86_400_000;
/** Until a deal closes, where nobody says when: Salesforce takes none without a date. */
const CLOSES_AFTER_DAYS = 30;
const createdShape = z.object({ id: z.string(), success: z.literal(true) });

/** Object there, and the field of it in which our mark stands; '' for people, who are known by their mail address. */
const KINDS: Readonly<Record<CrmObject, { type: string; mark: string }>> = {
  contact: { type: 'Contact', mark: '' },
  lead: { type: 'Lead', mark: '' },
  deal: { type: 'Opportunity', mark: 'NextStep' },
  task: { type: 'Task', mark: 'Subject' },
};

/** Salesforce's REST API, at the address of the organisation. Everything is looked for first, so that pushing again updates. */
export const salesforce: CrmProvider = {
  // Each organisation has its own: it is given with the credentials, or told by OAuth.
  url: '',
  settleAfterMs: 60_000,
  lists: salesforceLists,
  written: (push) => (isPerson(push) ? personOf(push) : {}),
  async check(access, signal) {
    if (access.url === '') throw new CallError('refused', 'credentials.url must be the address of your organisation');
    await query(access, 'SELECT Id FROM Contact LIMIT 1', { signal });
  },
  async push(access, push, options) {
    if (isPerson(push)) return writePerson(access, push.object as 'contact' | 'lead', push, options);
    const contactId = await writePerson(access, 'contact', push, options);
    return writeObject(access, push, contactId, options);
  },
  async find(access, push, options) {
    const { type, mark } = KINDS[push.object];
    if (isPerson(push)) return findWritten(access, type, push, options);
    return first(access, `SELECT Id FROM ${type} WHERE ${mark} LIKE ${quoted(`%${push.mark}%`)} LIMIT 1`, options);
  },
};

const isPerson = ({ object }: CrmPush): boolean => object === 'contact' || object === 'lead';

async function first(access: CrmAccess, soql: string, { signal }: CrmOptions): Promise<string | null> {
  const [row] = await query(access, soql, { signal });
  return row === undefined ? null : String(row['Id']);
}

/** By what a person is found. @throws CallError when nothing tells them from others */
function whereOf({ email, firstName, lastName, company }: OutsideContact, type: string): string {
  if (email) return `Email = ${quoted(email)}`;
  if (!firstName || !lastName || !company)
    throw new CallError('refused', 'nothing of this contact tells it from others');
  const employer = type === 'Lead' ? 'Company' : 'Account.Name';
  return `FirstName = ${quoted(firstName)} AND LastName = ${quoted(lastName)} AND ${employer} = ${quoted(company)}`;
}

/** Its own fields only where the object is a person; a contact's company is an object of its own and is left alone. */
function personOf(push: CrmPush): Record<string, string> {
  const { contact, object, fields } = push;
  const given = {
    FirstName: contact.firstName,
    LastName: contact.lastName || contact.fullName,
    Email: contact.email ?? '',
    Title: contact.title,
    ...(object === 'lead' ? { Company: contact.company } : {}),
  };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return isPerson(push) ? { ...known, ...fields } : known;
}

async function writePerson(
  access: CrmAccess,
  object: 'contact' | 'lead',
  push: CrmPush,
  options: CrmOptions,
): Promise<string> {
  const { type } = KINDS[object];
  const known = await first(
    access,
    `SELECT Id FROM ${type} WHERE ${whereOf(push.contact, type)} ORDER BY Id LIMIT 1`,
    options,
  );
  return write(access, type, known, personOf(push), options);
}

/** Creates an object, or updates the one that is there. */
async function write(
  access: CrmAccess,
  type: string,
  known: string | null,
  body: object,
  options: CrmOptions,
): Promise<string> {
  if (known === null) {
    const request = { method: 'POST', path: `sobjects/${type}`, body, harmless: false } as const;
    return (await askSalesforce(access, request, options, createdShape)).id;
  }
  const request = { method: 'PATCH', path: `sobjects/${type}/${known}`, body } as const;
  await askSalesforce(access, request, options, z.object({}));
  return known;
}

async function writeObject(access: CrmAccess, push: CrmPush, contactId: string, options: CrmOptions): Promise<string> {
  const { type, mark } = KINDS[push.object];
  const soql = `SELECT Id FROM ${type} WHERE ${mark} LIKE ${quoted(`%${push.mark}%`)} LIMIT 1`;
  const known = await first(access, soql, options);
  const { contact, at } = push;
  const who = [contact.fullName, contact.company].filter((part) => part !== '').join(', ');
  const closes = new Date(at + CLOSES_AFTER_DAYS * DAY_MS).toISOString().slice(0, 10);
  const least: Record<string, string> =
    push.object === 'deal'
      ? { Name: who, StageName: 'Prospecting', CloseDate: closes }
      : { Subject: who, WhoId: contactId, Status: 'Not Started', Priority: 'Normal' };
  const properties = { ...least, ...push.fields };
  const marked = [properties[mark], push.mark].filter(Boolean).join(' ');
  return write(access, type, known, { ...properties, [mark]: marked }, options);
}

/** A person may have been there before us: ours is one that has all that was to be written. */
async function findWritten(
  access: CrmAccess,
  type: string,
  push: CrmPush,
  options: CrmOptions,
): Promise<string | null> {
  const wanted = personOf(push);
  const { signal } = options;
  const columns = ['Id', ...Object.keys(wanted)].join(', ');
  const soql = `SELECT ${columns} FROM ${type} WHERE ${whereOf(push.contact, type)} ORDER BY Id LIMIT 1`;
  const [row] = await query(access, soql, { signal });
  const same = Object.entries(wanted).every(
    ([name, value]) =>
      String(row?.[name] ?? '')
        .trim()
        .toLowerCase() === value.trim().toLowerCase(),
  );
  return row && same ? String(row['Id']) : null;
}
