import { z } from 'zod';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import { CallError } from '../call-error.ts';
import { exchange, jsonOf, type OutsideRequest, refusalOf } from '../outside-http.ts';
import type { CrmAccess, CrmObject, CrmOptions, CrmProvider, CrmPush } from './crm-provider.ts';
import { hubspotLists } from './hubspot-lists.ts';

const TIMEOUT_MS = 15_000;
const CONFLICT = 409;
const foundSchema = z.object({
  results: z.array(z.object({ id: z.string(), properties: z.record(z.string(), z.string().nullable()).default({}) })),
});
type Found = z.infer<typeof foundSchema>['results'][number];
interface Filter {
  propertyName: string;
  operator: 'EQ' | 'CONTAINS_TOKEN';
  value: string;
}
const idSchema = z.object({ id: z.string() });

/** Path, property that carries our mark, and the default association with the contact. */
const KINDS: Readonly<Record<CrmObject, { path: string; mark: string; association: number }>> = {
  contact: { path: 'contacts', mark: '', association: 0 },
  lead: { path: 'leads', mark: 'hs_lead_name', association: 578 },
  deal: { path: 'deals', mark: 'description', association: 3 },
  task: { path: 'tasks', mark: 'hs_task_body', association: 204 },
};

/** HubSpot's CRM API v3. Everything is looked for first, so that pushing again updates. */
export const hubspot: CrmProvider = {
  url: 'https://api.hubapi.com',
  // Its search lags behind its writes by seconds, under load by minutes.
  settleAfterMs: 5 * 60_000,
  lists: hubspotLists,
  written: (push) => (push.object === 'contact' ? propertiesOf(push) : {}),
  async check(access, signal) {
    await search(access, 'contacts', [equal('email', 'nobody@outrider.invalid')], { signal });
  },
  async push(access, push, options) {
    const contactId = await pushContact(access, push, options);
    return push.object === 'contact' ? contactId : pushObject(access, push, contactId, options);
  },
  async find(access, push, options) {
    if (push.object === 'contact') return findWritten(access, push, options);
    const { path, mark } = KINDS[push.object];
    return (await search(access, path, [marked(mark, push.mark)], options))?.id ?? null;
  },
};

const equal = (propertyName: string, value: string): Filter => ({ propertyName, operator: 'EQ', value });
const marked = (propertyName: string, value: string): Filter => ({ propertyName, operator: 'CONTAINS_TOKEN', value });

/** By what a contact is found; null: nothing of it tells it from others. */
function filtersOf({ email, profileUrl, firstName, lastName, company }: OutsideContact): Filter[] | null {
  if (email) return [equal('email', email.toLowerCase())];
  if (profileUrl) return [equal('website', profileUrl)];
  if (!firstName || !lastName || !company) return null;
  return [equal('firstname', firstName), equal('lastname', lastName), equal('company', company)];
}

async function findContact(access: CrmAccess, contact: OutsideContact, options: CrmOptions): Promise<string | null> {
  const filters = filtersOf(contact);
  return filters ? ((await search(access, 'contacts', filters, options))?.id ?? null) : null;
}

/**
 * A contact may have been there before us: ours is one that has all that was to be written. Writing again does no harm to one
 * that can be found; to another it would make a second.
 */
async function findWritten(access: CrmAccess, push: CrmPush, options: CrmOptions): Promise<string | null> {
  const filters = filtersOf(push.contact);
  if (!filters) throw new CallError('refused', 'nothing of this contact tells it from others');
  const wanted = propertiesOf(push);
  const found = await search(access, 'contacts', filters, options, Object.keys(wanted));
  const written = Object.entries(wanted).every(([name, value]) => isSame(found?.properties[name], value));
  return found && written ? found.id : null;
}

const isSame = (stored: string | null | undefined, value: string): boolean =>
  stored?.trim().toLowerCase() === value.trim().toLowerCase();

function propertiesOf({ contact, object, fields }: CrmPush): Record<string, string> {
  return { ...contactProperties(contact), ...(object === 'contact' ? fields : {}) };
}

async function pushContact(access: CrmAccess, push: CrmPush, options: CrmOptions): Promise<string> {
  const properties = propertiesOf(push);
  const known = await findContact(access, push.contact, options);
  if (known) return update(access, `contacts/${known}`, { properties }, options);
  const { id, existed } = await create(access, 'contacts', { properties }, options);
  if (!existed) return id;
  // Its search lags, and does not look at further addresses of a contact, which stay what they are.
  const { email: _email, ...rest } = properties;
  return update(access, `contacts/${id}`, { properties: rest }, options);
}

function contactProperties({
  firstName,
  lastName,
  email,
  title,
  company,
  profileUrl,
}: OutsideContact): Record<string, string> {
  const given = {
    firstname: firstName,
    lastname: lastName,
    email: email ?? '',
    jobtitle: title,
    company,
    website: profileUrl,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

async function pushObject(access: CrmAccess, push: CrmPush, contactId: string, options: CrmOptions): Promise<string> {
  const { path, mark, association } = KINDS[push.object];
  const properties = objectProperties(push, mark);
  const known = await search(access, path, [marked(mark, push.mark)], options);
  if (known) return update(access, `${path}/${known.id}`, { properties }, options);
  const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: association }];
  return (await create(access, path, { properties, associations: [{ to: { id: contactId }, types }] }, options)).id;
}

/** What an object needs at least, with the given fields over it and our mark in the field by which it is found. */
function objectProperties({ object, contact, fields, mark, at }: CrmPush, markedIn: string): Record<string, string> {
  const who = [contact.fullName, contact.company].filter((part) => part !== '').join(', ');
  const least: Record<string, string> =
    object === 'deal'
      ? { dealname: who }
      : object === 'task'
        ? { hs_task_subject: who, hs_timestamp: new Date(at).toISOString(), hs_task_status: 'NOT_STARTED' }
        : { hs_lead_name: who };
  const properties = { ...least, ...fields };
  return { ...properties, [markedIn]: [properties[markedIn], mark].filter(Boolean).join(' ') };
}

async function search(
  access: CrmAccess,
  path: string,
  filters: readonly Filter[],
  options: CrmOptions,
  properties: readonly string[] = [],
): Promise<Found | null> {
  const body = { filterGroups: [{ filters }], properties, limit: 1 };
  const { signal } = options;
  const call = requestTo(access, 'POST', `${path}/search`, body, { signal }, true);
  const answer = await exchange(call);
  if (answer.status >= 300) throw refusalOf(call, answer);
  const parsed = foundSchema.safeParse(jsonOf(answer, true));
  if (!parsed.success) throw new CallError('busy', 'hubspot answered a search in another shape');
  return parsed.data.results[0] ?? null;
}

/** Makes an object, or names the one that is there and in its way. */
async function create(
  access: CrmAccess,
  path: string,
  body: object,
  options: CrmOptions,
): Promise<{ id: string; existed: boolean }> {
  const call = requestTo(access, 'POST', path, body, options, false);
  const answer = await exchange(call);
  const existing = answer.status === CONFLICT ? /Existing ID: (\d+)/.exec(answer.text)?.[1] : undefined;
  return existing ? { id: existing, existed: true } : { id: idIn(call, answer), existed: false };
}

async function update(access: CrmAccess, path: string, body: object, options: CrmOptions): Promise<string> {
  const call = requestTo(access, 'PATCH', path, body, options, true);
  return idIn(call, await exchange(call));
}

function idIn(call: OutsideRequest, answer: Awaited<ReturnType<typeof exchange>>): string {
  if (answer.status >= 300) throw refusalOf(call, answer);
  const parsed = idSchema.safeParse(jsonOf(answer, false));
  if (!parsed.success) throw new CallError('lost', 'hubspot answered a write in another shape');
  return parsed.data.id;
}

function requestTo(
  { url, token, reach }: CrmAccess,
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
  options: CrmOptions,
  harmless: boolean,
): OutsideRequest {
  return {
    method,
    url: `${url.replace(/\/+$/, '')}/crm/v3/objects/${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    ...options,
    harmless,
    reach,
  };
}
