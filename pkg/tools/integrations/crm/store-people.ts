import type { Tx } from '../../../postgres/database.ts';
import type { CrmPerson } from '../../../providers/crm/crm-lists.ts';
import { erasedAmong } from '../../../store/erasure/erasure.ts';
import {
  echoesOf,
  forgetObjects,
  type IntegrationObject,
  keepObjects,
  knownObjects,
} from '../../../store/integrations/integration-objects.ts';
import { meetMembers, nameMembers, type ProviderList } from '../../../store/integrations/provider-lists.ts';
import { excludeImported, type ImportExclusion } from '../../../store/leads/import-exclusions.ts';
import {
  addMembers,
  attachToCampaign,
  type ExistingLead,
  findExisting,
  type ImportLead,
  lockLeads,
  tryIdentities,
} from '../../../store/leads/imports.ts';
import { countSuppressed } from '../../../store/suppression/count-suppressed.ts';
import type { JobContext } from '../../jobs/job-step.ts';
import { withoutCell } from '../../leads/csv/lead-of-row.ts';
import { planImport } from '../../leads/csv/plan-import.ts';
import { storePlan } from '../../leads/csv/store-plan.ts';
import type { MappedField } from './field-map.ts';
import { type Merge, mergePeople } from './merge-people.ts';
import { leadOfPerson } from './person-row.ts';

/** A page of people, and where it goes. */
export interface PeoplePage {
  workspaceId: string;
  integrationId: string;
  provider: string;
  people: readonly CrmPerson[];
  fields: readonly MappedField[];
  onDuplicate: 'skip' | 'fill_empty' | 'overwrite';
  /** The list that they come from, and the pass that reads it; null: they are asked for one by one. */
  list: ProviderList | null;
  passId: string;
  /** People of the pass before this page. */
  before: number;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** What became of a page. */
export interface StoredPeople {
  /** Who was not met before. */
  total: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  suppressed: number;
  excluded: number;
  errors: { row: number; field: string | null; message: string }[];
  /** External id -> lead. */
  leads: ReadonlyMap<string, string>;
}

const ERASED = 'this person was erased in the workspace and is not imported again';
const KNOWN = 'already in the workspace (onDuplicate is skip)';

/** Stores people of a CRM as private leads: who was met under the same id before is the same lead, whatever they are called now. */
export async function storePeople(tx: Tx, { ids }: Pick<JobContext, 'ids'>, page: PeoplePage): Promise<StoredPeople> {
  const { workspaceId, integrationId, list, now } = page;
  await lockLeads(tx, workspaceId);
  const people = await notMetBefore(tx, page);
  const known = await leadsKnown(tx, integrationId, people);
  const told = toldBefore(known, people);
  const wishes = (person: CrmPerson): boolean => person.excluded && !told.has(person.id);
  const read = people.map((person, at) => ({
    person,
    ...leadOfPerson(person, page.fields, page.before + at + 1, ids.uuid()),
  }));
  const rows = read.flatMap((one) => {
    if (!('lead' in one)) return [];
    const { person, lead } = one;
    return [{ person, lead: wishes(person) ? { ...lead, exclusion: wishOf(page) } : lead }];
  });
  const unreadable = read.flatMap((one) => ('lead' in one ? [] : [withoutCell(noteOf(one))]));
  const notes = read.flatMap((one) =>
    'lead' in one ? one.notes.map((note) => withoutCell({ row: one.lead.line, ...note })) : [],
  );
  const leads = rows.map(({ lead }) => lead);
  await tryIdentities(tx, workspaceId, leads);
  const erased = await erasedAmong(tx, workspaceId, leads);
  const live = rows.filter(({ lead }) => !erased.has(lead));
  const placed = await place(tx, page, live);
  const refused = [...erased].map((lead) => ({ row: lead.line, field: null, message: ERASED }));
  const leadIds = [...new Set(placed.leads.values())];
  if (list !== null) {
    const members = [...placed.leads].map(([externalId, leadId]) => ({ externalId, leadId }));
    await nameMembers(tx, list.id, members);
    if (list.leadListId !== null) await addMembers(tx, workspaceId, list.leadListId, leadIds, now);
    if (list.campaignId !== null) await attachToCampaign(tx, workspaceId, list.campaignId, leadIds, now);
  }
  // A record that was emptied gives no lead any more, and says all the same whom nobody may contact.
  const leadsOf = ({ id, aliases }: CrmPerson): string[] => {
    const leadId = placed.leads.get(id);
    return leadId === undefined ? [id, ...aliases].flatMap((one) => known.get(one)?.leadId ?? []) : [leadId];
  };
  const wished = read.flatMap(({ person, exclusion }) => {
    const said = wishes(person) ? wishOf(page) : exclusion;
    return said === null ? [] : leadsOf(person).map((leadId) => ({ leadId, ...said }));
  });
  const excluded = await excludeImported(tx, workspaceId, [...placed.exclusions, ...wished], now);
  await keepObjects(
    tx,
    { workspaceId, integrationId },
    people.flatMap((person) => {
      const [leadId] = leadsOf(person);
      const { id: externalId, excluded: out } = person;
      return leadId === undefined ? [] : [{ externalId, leadId, excluded: out, toldAt: told.get(externalId) ?? null }];
    }),
  );
  await forgetObjects(
    tx,
    integrationId,
    people.flatMap(({ aliases }) => aliases),
  );
  return {
    total: people.length,
    created: placed.created,
    updated: placed.updated,
    skipped: placed.problems.length + erased.size,
    failed: unreadable.length,
    suppressed: await countSuppressed(tx, { workspaceId, campaignId: null, leadIds, now }),
    excluded,
    errors: [...unreadable, ...refused, ...placed.problems, ...notes],
    leads: placed.leads,
  };
}

const noteOf = ({ row, field, message }: { row: number; field: string | null; message: string }) => ({
  row,
  field,
  message,
});

/** The people of a page who are known leads, under their ids and those that were merged into them. */
async function leadsKnown(
  tx: Tx,
  integrationId: string,
  people: readonly CrmPerson[],
): Promise<ReadonlyMap<string, IntegrationObject>> {
  const everyId = people.flatMap(({ id, aliases }) => [id, ...aliases]);
  return new Map((await knownObjects(tx, integrationId, everyId)).map((one) => [one.externalId, one]));
}

/**
 * When we told the CRM that somebody must not be contacted, under this id or one that was merged into it. What it says of them from then
 * on is what we said: the wish is here already, and it makes no new one.
 */
function toldBefore(
  known: ReadonlyMap<string, IntegrationObject>,
  people: readonly CrmPerson[],
): ReadonlyMap<string, number> {
  return new Map(
    people.flatMap(({ id, aliases }) => {
      const at = [id, ...aliases].map((one) => known.get(one)?.toldAt).find((one) => typeof one === 'number');
      return typeof at === 'number' ? [[id, at] as const] : [];
    }),
  );
}

/** A list that changes while it is read may show somebody twice. */
async function notMetBefore(tx: Tx, { list, passId, people }: PeoplePage): Promise<CrmPerson[]> {
  const once = [...new Map(people.map((person) => [person.id, person])).values()];
  if (list === null) return once;
  const met = await meetMembers(
    tx,
    list,
    passId,
    once.map(({ id }) => id),
  );
  return once.filter(({ id }) => met.has(id));
}

type Row = { person: CrmPerson; lead: ImportLead };
interface Placed {
  created: number;
  updated: number;
  problems: { row: number; field: string | null; message: string }[];
  leads: Map<string, string>;
  /** Also of records that were skipped: a second one of a person says what the first does not. */
  exclusions: readonly ImportExclusion[];
}

/** Creates who is new and merges who is there. */
async function place(tx: Tx, page: PeoplePage, rows: readonly Row[]): Promise<Placed> {
  const { workspaceId, integrationId, onDuplicate, now, provider } = page;
  const everyId = rows.flatMap(({ person }) => [person.id, ...person.aliases]);
  const objects = new Map((await knownObjects(tx, integrationId, everyId)).map((one) => [one.externalId, one.leadId]));
  const leadOf = ({ id, aliases }: CrmPerson): string | undefined =>
    [id, ...aliases].map((one) => objects.get(one)).find((one) => one !== undefined);
  const existing = await findExisting(
    tx,
    workspaceId,
    rows.map(({ lead }) => lead),
  );
  const known = rows.flatMap(({ person, lead }): Merge[] => {
    const id = leadOf(person);
    return id === undefined ? [] : [{ person, lead: withoutOthersKeys({ ...lead, id }, existing) }];
  });
  const unknown = rows.filter(({ person }) => leadOf(person) === undefined);
  const plan = planImport(
    unknown.map(({ lead }) => lead),
    existing,
    'fill_empty',
  );
  const source = `${provider} import`;
  const create = { ...plan, merge: [], exclusions: [] };
  await storePlan(tx, create, { workspaceId, onDuplicate: 'fill_empty', source, now, progress: () => undefined });
  const byLine = new Map(unknown.map(({ person, lead }) => [lead.line, person]));
  const met = plan.merge.flatMap((lead): Merge[] => {
    const person = byLine.get(lead.line);
    return person ? [{ person, lead }] : [];
  });
  const merges = [...known, ...met];
  const echoes = await echoesOf(tx, integrationId, everyId, now);
  const rules = { workspaceId, fields: page.fields, onDuplicate, echoes, source, now };
  const updated = await mergePeople(tx, merges, rules);
  const problems =
    onDuplicate === 'skip' ? merges.map(({ lead }) => ({ row: lead.line, field: null, message: KNOWN })) : [];
  const created = plan.create.flatMap((lead): Merge[] => {
    const person = byLine.get(lead.line);
    return person ? [{ person, lead }] : [];
  });
  const leads = new Map([...created, ...merges].map(({ person, lead }) => [person.id, lead.id]));
  return {
    created: created.length,
    updated: onDuplicate === 'skip' ? 0 : updated,
    problems: [...plan.problems, ...problems],
    leads,
    exclusions: plan.exclusions,
  };
}

/** An address and a profile are one lead's: who has it keeps it. */
function withoutOthersKeys(lead: ImportLead, existing: readonly ExistingLead[]): ImportLead {
  const others = existing.filter(({ id }) => id !== lead.id);
  const mailTaken = others.some(({ email }) => email !== null && email.toLowerCase() === lead.email?.toLowerCase());
  const profileTaken = others.some(({ profile_url }) => profile_url !== '' && profile_url === lead.profileUrl);
  return {
    ...lead,
    ...(mailTaken ? { email: null } : {}),
    ...(profileTaken ? { profileUrl: '', profileId: null } : {}),
  };
}

/** What the CRM says of who must not be contacted counts here at once, and is never taken back by it. */
function wishOf({ provider }: PeoplePage): Omit<ImportExclusion, 'leadId'> {
  return { source: 'unsubscribe', reason: `${provider}: must not be contacted` };
}
