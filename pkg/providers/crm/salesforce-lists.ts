import { z } from 'zod';
import { CallError } from '../call-error.ts';
import { timeOf } from './crm-http.ts';
import {
  type CrmList,
  type CrmLists,
  type CrmPage,
  type CrmPerson,
  type CrmReading,
  PAGE_PEOPLE,
} from './crm-lists.ts';
import type { CrmAccess } from './crm-provider.ts';
import { viewQuery } from './list-view-query.ts';
import { askSalesforce, query, quoted } from './salesforce-http.ts';

/** Objects that are people; an id begins with the key of its object. */
const PEOPLE = { Contact: '003', Lead: '00Q' } as const;
type PersonType = keyof typeof PEOPLE;
const TYPES = Object.keys(PEOPLE) as PersonType[];
/** Who must not be written to, and who not be called. */
const EXCLUDED = ['HasOptedOutOfEmail', 'DoNotCall'] as const;
const CHANGED = 'LastModifiedDate';
const ID = /^[a-zA-Z0-9]{15,18}$/;
/** Lists that are read to find one by its name. */
const MOST_LISTS = 2_000;

const viewsShape = z.object({ listviews: z.array(z.object({ id: z.string(), label: z.string() })) });
const viewShape = z.object({ query: z.string() });
const fieldsShape = z.object({
  fields: z.array(z.object({ name: z.string(), relationshipName: z.string().nullish() })),
});
const member = z.object({ Id: z.string(), ContactId: z.string().nullish(), LeadId: z.string().nullish() });

/** Lists of Salesforce: campaigns (`campaign:<id>`) and list views of contacts and leads (`Contact:<id>`, `Lead:<id>`). */
export const salesforceLists: CrmLists = {
  fields: {
    FirstName: 'firstName',
    LastName: 'lastName',
    Email: 'email',
    Title: 'title',
    'Account.Name': 'company',
    Company: 'company',
    Website: 'companyDomain',
    Industry: 'industry',
    MailingCity: 'location',
    City: 'location',
    MailingCountry: 'country',
    Country: 'country',
    Phone: 'phone',
  },
  optOuts: { EmailBouncedReason: 'bounced', EmailBouncedDate: 'bounced', Status: 'contactStatus' },
  owner: 'Owner.Name',
  stage: 'Status',
  async list(access, { query: word, limit, cursor, signal }) {
    const all = await allLists(access, signal);
    const rest = all
      .filter((one) => one.name.toLowerCase().includes(word.toLowerCase()) && one.id > (cursor ?? ''))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const lists = rest.slice(0, limit);
    return { lists, cursor: lists.length < rest.length ? (lists.at(-1)?.id ?? null) : null };
  },
  async find(access, listId, signal) {
    return (await allLists(access, signal)).find((one) => one.id === listId) ?? null;
  },
  async page(access, listId, reading) {
    const [kind = '', id = ''] = listId.split(':');
    if (!ID.test(id)) throw new CallError('refused', `${listId} is no list of Salesforce`);
    if (kind === 'campaign') return campaignPage(access, id, reading);
    const type = TYPES.find((one) => one === kind);
    if (!type) throw new CallError('refused', `${listId} is no list of Salesforce`);
    return viewPage(access, type, id, reading);
  },
  read: readPeople,
  async update(access, id, properties, signal) {
    await write(access, id, properties, signal);
  },
  async exclude(access, { id }, signal) {
    const visible = await fieldsOf(access, typeOf(id), signal);
    const told = EXCLUDED.filter((name) => visible.has(name));
    if (told.length === 0) throw new CallError('refused', `the credentials may not change ${EXCLUDED.join(' or ')}`);
    await write(access, id, Object.fromEntries(told.map((name) => [name, true])), signal);
  },
};

async function write(access: CrmAccess, id: string, body: object, signal: AbortSignal): Promise<void> {
  const path = `sobjects/${typeOf(id)}/${encodeURIComponent(id)}`;
  await askSalesforce(access, { method: 'PATCH', path, body }, { signal }, z.object({}));
}

function typeOf(id: string): PersonType {
  const type = TYPES.find((one) => id.startsWith(PEOPLE[one]));
  if (!type || !ID.test(id)) throw new CallError('refused', `${id} is no contact and no lead of Salesforce`);
  return type;
}

async function allLists(access: CrmAccess, signal: AbortSignal): Promise<CrmList[]> {
  const soql = `SELECT Id, Name FROM Campaign ORDER BY Id LIMIT ${MOST_LISTS}`;
  const campaigns = (await query(access, soql, { signal })).map((row) => ({
    id: `campaign:${String(row['Id'])}`,
    name: String(row['Name']),
    kind: 'campaign',
    size: null,
  }));
  const views = [];
  for (const type of TYPES) {
    const path = `sobjects/${type}/listviews?limit=${MOST_LISTS}`;
    const { listviews } = await askSalesforce(access, { method: 'GET', path }, { signal }, viewsShape);
    views.push(
      ...listviews.map(({ id, label }) => ({ id: `${type}:${id}`, name: label, kind: 'list view', size: null })),
    );
  }
  return [...campaigns, ...views];
}

/** Members in the order of their ids: a locator of a query would expire between two pages. */
async function campaignPage(access: CrmAccess, id: string, reading: CrmReading): Promise<CrmPage> {
  const after = reading.cursor === null ? '' : ` AND Id > ${quoted(reading.cursor)}`;
  const where = `CampaignId = ${quoted(id)}${after}`;
  const soql = `SELECT Id, ContactId, LeadId FROM CampaignMember WHERE ${where} ORDER BY Id LIMIT ${PAGE_PEOPLE}`;
  const members = z.array(member).parse(await query(access, soql, reading));
  const ids = members.flatMap((one) => one.ContactId ?? one.LeadId ?? []);
  const people = await readPeople(access, ids, reading);
  return { people, cursor: members.length < PAGE_PEOPLE ? null : (members.at(-1)?.Id ?? null) };
}

/** People of a list view, by the query that describes it, in the order of their ids. */
async function viewPage(access: CrmAccess, type: PersonType, id: string, reading: CrmReading): Promise<CrmPage> {
  const path = `sobjects/${type}/listviews/${id}/describe`;
  const described = await askSalesforce(access, { method: 'GET', path }, { signal: reading.signal }, viewShape);
  const view = viewQuery(described.query);
  if (view?.object !== type) throw new CallError('refused', `the list view ${id} has no query of ${type}s`);
  const { scope, where } = view;
  const bounds = [where && `(${where})`, reading.cursor !== null && `Id > ${quoted(reading.cursor)}`].filter(Boolean);
  const which = bounds.length > 0 ? ` WHERE ${bounds.join(' AND ')}` : '';
  const columns = await columnsOf(access, type, reading);
  const soql = `SELECT ${columns.join(', ')} FROM ${type}${scope}${which} ORDER BY Id LIMIT ${PAGE_PEOPLE}`;
  const people = (await query(access, soql, reading)).map(personOf);
  return { people, cursor: people.length < PAGE_PEOPLE ? null : (people.at(-1)?.id ?? null) };
}

async function readPeople(
  access: CrmAccess,
  ids: readonly string[],
  reading: Omit<CrmReading, 'cursor'>,
): Promise<CrmPerson[]> {
  const people: CrmPerson[] = [];
  for (const type of TYPES) {
    const own = ids.filter((id) => ID.test(id) && id.startsWith(PEOPLE[type]));
    if (own.length === 0) continue;
    const columns = await columnsOf(access, type, reading);
    const where = `Id IN (${own.map(quoted).join(', ')})`;
    const soql = `SELECT ${columns.join(', ')} FROM ${type} WHERE ${where} ORDER BY Id LIMIT ${PAGE_PEOPLE}`;
    people.push(...(await query(access, soql, reading)).map(personOf));
  }
  return people;
}

/** What may be asked for: a query that names a field hidden from the credentials fails as a whole. */
async function columnsOf(
  access: CrmAccess,
  type: PersonType,
  { properties, signal }: Omit<CrmReading, 'cursor'>,
): Promise<string[]> {
  const visible = await fieldsOf(access, type, signal);
  const asked = ['Email', ...properties, CHANGED, ...EXCLUDED];
  return [...new Set(['Id', ...asked.filter((name) => visible.has(name.split('.')[0] ?? ''))])];
}

/** Names of the fields that the credentials see, and of what they lead to. */
async function fieldsOf(access: CrmAccess, type: PersonType, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const path = `sobjects/${type}/describe`;
  const { fields } = await askSalesforce(access, { method: 'GET', path }, { signal }, fieldsShape);
  return new Set(fields.flatMap(({ name, relationshipName }) => [name, relationshipName ?? []].flat()));
}

function personOf({ Id, attributes: _attributes, ...row }: Readonly<Record<string, unknown>>): CrmPerson {
  const excluded = EXCLUDED.some((name) => row[name] === true);
  return {
    id: String(Id),
    aliases: [],
    properties: Object.fromEntries(flat(row)),
    excluded,
    changedAt: timeOf(typeof row[CHANGED] === 'string' ? row[CHANGED] : undefined),
  };
}

/** Texts, numbers and boxes that are ticked or not, those of related objects under their path. */
function flat(row: Readonly<Record<string, unknown>>, path = ''): [string, string][] {
  return Object.entries(row).flatMap(([name, value]): [string, string][] => {
    if (name === 'attributes' || name === CHANGED || EXCLUDED.some((one) => one === name)) return [];
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return value === '' ? [] : [[path + name, String(value)]];
    return value !== null && typeof value === 'object' && path === ''
      ? flat(value as Record<string, unknown>, `${name}.`)
      : [];
  });
}
