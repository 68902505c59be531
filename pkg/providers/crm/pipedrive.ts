import { z } from 'zod';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import { CallError } from '../call-error.ts';
import type { CrmAccess, CrmOptions, CrmProvider, CrmPush } from './crm-provider.ts';
import { askPipedrive, hitsOf, oneOf, pageOf } from './pipedrive-http.ts';
import { bodyOf, pipedriveLists } from './pipedrive-lists.ts';

const identified = z.object({ id: z.union([z.number(), z.string()]) });
const described = identified.extend({ subject: z.string().nullish() });
const searched = hitsOf(
  z.object({
    id: z.number(),
    name: z.string().nullish(),
    organization: z.object({ name: z.string().nullish() }).nullish(),
  }),
);

/** Pipedrive's API: v2, and v1 for leads and filters. Everything is looked for first, so that pushing again updates. */
export const pipedrive: CrmProvider = {
  url: 'https://api.pipedrive.com',
  settleAfterMs: 5 * 60_000,
  lists: pipedriveLists,
  written: (push) => (push.object === 'contact' ? propertiesOf(push) : {}),
  async check(access, signal) {
    await askPipedrive(access, { method: 'GET', path: 'v1/filters?type=people' }, { signal }, z.object({}));
  },
  async push(access, push, options) {
    const known = await findPerson(access, push.contact, options);
    const personId = await writePerson(access, push, known, options);
    return push.object === 'contact' ? personId : pushObject(access, push, Number(personId), options);
  },
  async find(access, push, options) {
    if (push.object !== 'contact') return findObject(access, push, options);
    const known = await findPerson(access, push.contact, options);
    if (known === null) return null;
    const { signal } = options;
    const wanted = propertiesOf(push);
    const [person] = await pipedriveLists.read(access, [known], { properties: Object.keys(wanted), signal });
    const same = Object.entries(wanted).every(([name, value]) => isSame(person?.properties[name], value));
    return person && same ? known : null;
  },
};

const isSame = (stored: string | undefined, value: string): boolean =>
  stored?.trim().toLowerCase() === value.trim().toLowerCase();

function propertiesOf({ contact, object, fields }: CrmPush): Record<string, string> {
  const given = { name: contact.fullName, email: contact.email ?? '', job_title: contact.title };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return object === 'contact' ? { ...known, ...fields } : known;
}

/** By the mail address, else by name and company. @throws CallError when nothing tells the person from others */
async function findPerson(access: CrmAccess, contact: OutsideContact, options: CrmOptions): Promise<string | null> {
  const { email, fullName, company } = contact;
  const by = email ? { term: email, fields: 'email' } : { term: fullName, fields: 'name' };
  if (!email && (fullName === '' || company === ''))
    throw new CallError('refused', 'nothing of this contact tells it from others');
  const query = new URLSearchParams({ ...by, exact_match: 'true', limit: '10' });
  const { signal } = options;
  const request = { method: 'GET', path: `api/v2/persons/search?${query}` } as const;
  const { data } = await askPipedrive(access, request, { signal }, searched);
  const hits = data.items.map(({ item }) => item);
  const hit = email ? hits[0] : hits.find((one) => isSame(one.organization?.name ?? undefined, company));
  return hit ? String(hit.id) : null;
}

async function writePerson(
  access: CrmAccess,
  push: CrmPush,
  known: string | null,
  options: CrmOptions,
): Promise<string> {
  const body = bodyOf(propertiesOf(push));
  const request =
    known === null
      ? ({ method: 'POST', path: 'api/v2/persons', body, harmless: false } as const)
      : ({ method: 'PATCH', path: `api/v2/persons/${known}`, body } as const);
  const { data } = await askPipedrive(access, request, options, oneOf(identified));
  return String(data.id);
}

const titleOf = ({ contact, mark }: CrmPush): string =>
  [[contact.fullName, contact.company].filter(Boolean).join(', '), mark].filter(Boolean).join(' ');

async function pushObject(access: CrmAccess, push: CrmPush, personId: number, options: CrmOptions): Promise<string> {
  const known = await findObject(access, push, options, personId);
  const { path, least } = objectOf(push, personId);
  const body = { ...least, ...push.fields, [markedIn(push)]: markedText(push) };
  const request =
    known === null
      ? ({ method: 'POST', path, body, harmless: false } as const)
      : ({ method: 'PATCH', path: `${path}/${known}`, body } as const);
  const { data } = await askPipedrive(access, request, options, oneOf(identified));
  return String(data.id);
}

/** Where an object is written, and what it needs at least. */
function objectOf(push: CrmPush, personId: number): { path: string; least: object } {
  const person = { person_id: personId };
  if (push.object === 'lead') return { path: 'v1/leads', least: person };
  if (push.object === 'deal') return { path: 'api/v2/deals', least: person };
  const due = new Date(push.at).toISOString().slice(0, 10);
  const participants = [{ person_id: personId, primary: true }];
  return { path: 'api/v2/activities', least: { type: 'task', due_date: due, participants } };
}

const markedIn = ({ object }: CrmPush): 'title' | 'subject' => (object === 'task' ? 'subject' : 'title');

/** The text in which our mark stands: by it the object is found again. */
function markedText(push: CrmPush): string {
  const own = push.fields[markedIn(push)];
  return own ? `${own} ${push.mark}` : titleOf(push);
}

async function findObject(
  access: CrmAccess,
  push: CrmPush,
  { signal }: CrmOptions,
  personId?: number,
): Promise<string | null> {
  if (push.object === 'task') return findTask(access, push, signal, personId);
  const kind = push.object === 'lead' ? 'leads' : 'deals';
  const query = new URLSearchParams({ term: push.mark, fields: 'title', limit: '1' });
  const request = { method: 'GET', path: `api/v2/${kind}/search?${query}` } as const;
  const { data } = await askPipedrive(access, request, { signal }, hitsOf(identified));
  const hit = data.items[0]?.item;
  return hit ? String(hit.id) : null;
}

/** Activities have no search: the person's own are looked through, and nobody has many. */
async function findTask(
  access: CrmAccess,
  push: CrmPush,
  signal: AbortSignal,
  personId?: number,
): Promise<string | null> {
  const person = personId ?? (await findPerson(access, push.contact, { signal }));
  if (person === null) return null;
  const query = new URLSearchParams({ person_id: String(person), limit: '500' });
  const request = { method: 'GET', path: `api/v2/activities?${query}` } as const;
  const { data } = await askPipedrive(access, request, { signal }, pageOf(described));
  const hit = data.find((one) => one.subject?.includes(push.mark));
  return hit ? String(hit.id) : null;
}
