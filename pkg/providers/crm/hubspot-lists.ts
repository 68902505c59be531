import { z } from 'zod';
import { refusalOf } from '../outside-http.ts';
import { askCrm, sendToCrm, shapeOf, timeOf } from './crm-http.ts';
import { type CrmLists, type CrmPerson, type CrmReading, PAGE_PEOPLE } from './crm-lists.ts';
import type { CrmAccess } from './crm-provider.ts';

/** HubSpot's type of contacts; lists of companies and deals hold no people. */
const CONTACTS = '0-1';
const MERGED = 'hs_merged_object_ids';
const OPTED_OUT = 'hs_email_optout';
const NOT_FOUND = 404;

const listShape = z.object({
  listId: z.string(),
  name: z.string(),
  processingType: z.string(),
  objectTypeId: z.string(),
  additionalProperties: z.record(z.string(), z.string()).default({}),
});
const searchShape = z.object({ lists: z.array(listShape), hasMore: z.boolean(), offset: z.number() });
const foundShape = z.object({ list: listShape });
const membersShape = z.object({
  results: z.array(z.object({ recordId: z.string() })),
  paging: z.object({ next: z.object({ after: z.string() }).optional() }).optional(),
});
const peopleShape = z.object({
  results: z.array(
    z.object({
      id: z.string(),
      properties: z.record(z.string(), z.string().nullable()),
      updatedAt: z.string().optional(),
    }),
  ),
});
const statusShape = z.object({ subscriptionStatuses: z.array(z.object({ id: z.string(), status: z.string() })) });

/** Lists of HubSpot: `crm/v3/lists`, whose members are ids only, and `crm/v3/objects/contacts`. */
export const hubspotLists: CrmLists = {
  fields: {
    firstname: 'firstName',
    lastname: 'lastName',
    email: 'email',
    jobtitle: 'title',
    company: 'company',
    website: 'companyDomain',
    industry: 'industry',
    city: 'location',
    country: 'country',
    phone: 'phone',
    hs_linkedin_url: 'profileUrl',
  },
  optOuts: {
    hs_email_hard_bounce_reason_enum: 'bounced',
    hs_email_quarantined: 'bounced',
    hs_lead_status: 'contactStatus',
  },
  owner: 'hubspot_owner_id',
  stage: 'lifecyclestage',
  async list(access, { query, limit, cursor, signal }) {
    const body = { query, count: limit, offset: Number(cursor ?? 0), additionalProperties: ['hs_list_size'] };
    const found = await ask(access, 'POST', 'crm/v3/lists/search', body, signal, searchShape);
    return {
      lists: found.lists.filter((list) => list.objectTypeId === CONTACTS).map(listOf),
      cursor: found.hasMore ? String(found.offset) : null,
    };
  },
  async find(access, listId, signal) {
    const request = requestOf(access, 'GET', `crm/v3/lists/${encodeURIComponent(listId)}`, undefined);
    const { call, answer } = await sendToCrm(access, request, { signal });
    if (answer.status === NOT_FOUND) return null;
    if (answer.status >= 300) throw refusalOf(call, answer);
    const { list } = shapeOf(answer, foundShape, true);
    return list.objectTypeId === CONTACTS ? listOf(list) : null;
  },
  async page(access, listId, reading) {
    const query = new URLSearchParams({ limit: String(PAGE_PEOPLE) });
    if (reading.cursor !== null) query.set('after', reading.cursor);
    const path = `crm/v3/lists/${encodeURIComponent(listId)}/memberships?${query}`;
    const members = await ask(access, 'GET', path, undefined, reading.signal, membersShape);
    const ids = members.results.map((member) => member.recordId);
    return { people: await readPeople(access, ids, reading), cursor: members.paging?.next?.after ?? null };
  },
  read: readPeople,
  async update(access, id, properties, signal) {
    const path = `crm/v3/objects/contacts/${encodeURIComponent(id)}`;
    await ask(access, 'PATCH', path, { properties }, signal, z.object({}));
  },
  async exclude(access, { properties }, signal) {
    const email = properties['email'];
    // Its subscriptions are of addresses: without one there is nobody to be written to.
    if (email === undefined) return;
    const path = `communication-preferences/v3/status/email/${encodeURIComponent(email)}`;
    const { subscriptionStatuses } = await ask(access, 'GET', path, undefined, signal, statusShape);
    for (const { id, status } of subscriptionStatuses) {
      if (status === 'NOT_SUBSCRIBED') continue;
      const body = { emailAddress: email, subscriptionId: id };
      await ask(access, 'POST', 'communication-preferences/v3/unsubscribe', body, signal, z.object({}));
    }
  },
};

async function readPeople(
  access: CrmAccess,
  ids: readonly string[],
  { properties, signal }: Omit<CrmReading, 'cursor'>,
): Promise<CrmPerson[]> {
  if (ids.length === 0) return [];
  const asked = [...new Set([...properties, 'email', MERGED, OPTED_OUT])];
  const body = { properties: asked, propertiesWithHistory: [], inputs: ids.map((id) => ({ id })) };
  const { results } = await ask(access, 'POST', 'crm/v3/objects/contacts/batch/read', body, signal, peopleShape);
  return results.map(({ id, properties: given, updatedAt }) => {
    const { [MERGED]: merged, [OPTED_OUT]: optedOut, ...rest } = given;
    const known = Object.entries(rest).filter((entry): entry is [string, string] => Boolean(entry[1]));
    return {
      id,
      aliases: (merged ?? '').split(';').filter(Boolean),
      properties: Object.fromEntries(known),
      excluded: optedOut === 'true',
      changedAt: timeOf(updatedAt),
    };
  });
}

function listOf({ listId, name, processingType, additionalProperties }: z.output<typeof listShape>) {
  const size = Number(additionalProperties['hs_list_size'] ?? Number.NaN);
  return { id: listId, name, kind: processingType.toLowerCase(), size: Number.isNaN(size) ? null : size };
}

const requestOf = ({ token }: CrmAccess, method: 'GET' | 'POST' | 'PATCH', path: string, body: object | undefined) => ({
  method,
  path,
  body,
  headers: { authorization: `Bearer ${token}` },
  harmless: true,
});

function ask<T extends z.ZodType>(
  access: CrmAccess,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body: object | undefined,
  signal: AbortSignal,
  shape: T,
): Promise<z.output<T>> {
  return askCrm(access, requestOf(access, method, path, body), { signal }, shape);
}
