import { isToldToCrm } from '../../../domain/field-ownership.ts';
import type { Tx } from '../../../postgres/database.ts';
import type { CrmPerson } from '../../../providers/crm/crm-lists.ts';
import { keepEchoes, knownObjects, noteTold, ownWishes } from '../../../store/integrations/integration-objects.ts';
import { leadTexts, provenanceOf } from '../../../store/leads/imports.ts';
import type { JobContext } from '../../jobs/job-step.ts';
import type { OpenCrm } from './crm-access.ts';
import { setbackOf } from './crm-step.ts';
import type { MappedField } from './field-map.ts';

/** Requests that write, of one step: with each at its timeout, the step still ends within its lease. */
const MOST_WRITES = 4;

interface Scope {
  workspaceId: string;
  integrationId: string;
}

/** What a CRM was told. */
export interface Told {
  /** Those of the people whom the step came to, as the CRM shows them now. */
  people: CrmPerson[];
  /** External ids of those who must not be contacted, as it knows now. */
  excluded: string[];
  written: { externalId: string; leadId: string; property: string; value: string }[];
  /** Of how many people properties were written. */
  pushed: number;
  /** External id of the last one; null: all of the page are done. */
  reached: string | null;
  /** When it is asked again, epoch ms product time; null: it said no "later". */
  setback: number | null;
}

/** Tells a CRM what is ours to tell of these people: values of our fields, and who wished no contact. */
export async function tellPeople(
  context: JobContext,
  open: OpenCrm,
  page: Scope & { people: readonly CrmPerson[]; fields: readonly MappedField[]; now: number; signal: AbortSignal },
): Promise<Told> {
  const { people, now, signal } = page;
  const ordered = people.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const plans = await plansOf(context, page, ordered);
  const told: Told = { people: [], excluded: [], written: [], pushed: 0, reached: null, setback: null };
  let writes = 0;
  for (const plan of plans) {
    const reached = told.people.at(-1)?.id ?? null;
    const needed = (plan.exclude ? 1 : 0) + (Object.keys(plan.properties).length > 0 ? 1 : 0);
    if (writes > 0 && writes + needed > MOST_WRITES) return { ...told, reached };
    const answer = await tellOne(open, plan, { now, signal, first: reached === null });
    if (typeof answer === 'number') return { ...told, reached, setback: answer };
    writes += needed;
    told.people.push(plan.person);
    noteTelling(told, plan, answer);
  }
  return told;
}

/** What of a plan the CRM took. */
interface Taken {
  excluded: boolean;
  pushed: boolean;
}

/**
 * Tells about one person, the wish first: one that a vendor refuses says nothing of the other, or of the next person.
 * @returns when it is asked again, where it is busy. @throws CallError when it is busy from the `first` on, or knows us no more
 */
async function tellOne(
  { crm: { lists }, access }: OpenCrm,
  { person, properties, exclude }: Plan,
  { now, signal, first }: { now: number; signal: AbortSignal; first: boolean },
): Promise<Taken | number> {
  const excluded = exclude && (await taken(lists.exclude(access, person, signal), now, first));
  if (typeof excluded === 'number') return excluded;
  const some = Object.keys(properties).length > 0;
  const pushed = some && (await taken(lists.update(access, person.id, properties, signal), now, first));
  return typeof pushed === 'number' ? pushed : { excluded, pushed };
}

/** Whether the vendor took what it was told. @returns as `tellOne`, and throws as it */
async function taken(telling: Promise<void>, now: number, first: boolean): Promise<boolean | number> {
  try {
    await telling;
    return true;
  } catch (error) {
    const setback = setbackOf(error, { waits: 0, now });
    if (setback.kind === 'failed' && !setback.needsAuth) return false;
    if (setback.kind === 'failed' || first) throw error;
    return setback.notBefore;
  }
}

function noteTelling(told: Told, { person, leadId, properties }: Plan, { excluded, pushed }: Taken): void {
  if (excluded) told.excluded.push(person.id);
  if (!pushed) return;
  told.pushed++;
  const entries = Object.entries(properties);
  told.written.push(...entries.map(([property, value]) => ({ externalId: person.id, leadId, property, value })));
}

interface Plan {
  person: CrmPerson;
  leadId: string;
  properties: Record<string, string>;
  exclude: boolean;
}

async function plansOf(
  context: JobContext,
  { workspaceId, integrationId, fields, now }: Scope & { fields: readonly MappedField[]; now: number },
  people: readonly CrmPerson[],
): Promise<Plan[]> {
  return context.tx(async (tx) => {
    const objects = await knownObjects(
      tx,
      integrationId,
      people.flatMap(({ id, aliases }) => [id, ...aliases]),
    );
    const leadIds = objects.map(({ leadId }) => leadId);
    const wishes = await ownWishes(tx, workspaceId, leadIds, now);
    const texts = await leadTexts(tx, workspaceId, leadIds);
    const since = await provenanceOf(tx, leadIds);
    return people.flatMap((person): Plan[] => {
      const object = objects.find(({ externalId }) => externalId === person.id || person.aliases.includes(externalId));
      const lead = object && texts.get(object.leadId);
      if (!object || !lead) return [];
      const properties = ownProperties(person, fields, { lead, since: since.get(object.leadId) ?? {} });
      const exclude = !person.excluded && object.toldAt === null && wishes.has(object.leadId);
      return [{ person, leadId: object.leadId, properties, exclude }];
    });
  });
}

/** Properties of which our value counts and theirs is another. */
function ownProperties(
  person: CrmPerson,
  fields: readonly MappedField[],
  { lead, since }: { lead: Readonly<Record<string, string>>; since: Readonly<Record<string, number>> },
): Record<string, string> {
  const own = fields.flatMap(({ property, target, owner }) => {
    if (owner === null || !('field' in target)) return [];
    const ours = lead[target.field] ?? '';
    const facts = { owner, theirsAt: person.changedAt, oursAt: since[target.field] ?? null };
    return isToldToCrm(facts, ours, person.properties[property] ?? '') ? [[property, ours] as const] : [];
  });
  return Object.fromEntries(own);
}

/** Keeps what was told. */
export async function keepTold(tx: Tx, scope: Scope, told: Told, now: number): Promise<void> {
  if (told.excluded.length > 0) await noteTold(tx, scope.integrationId, told.excluded, now);
  await keepEchoes(tx, scope, told.written, now);
}
