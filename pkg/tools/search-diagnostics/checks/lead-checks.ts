import { isUuid } from '../../../base/ids.ts';
import { notFound } from '../../errors.ts';
import { type Check, type CheckContext, fail, pass } from './check.ts';
import { enrichmentCheck } from './enrichment-check.ts';
import { claimCheck, enrolmentBars, placeCheck } from './enrolment-check.ts';
import { freezeCheck } from './freeze-check.ts';
import type { Run } from './run.ts';
import { readRuns, runChecks } from './run-checks.ts';
import { bestScore, scoreCheck, scoreOfRun } from './score-check.ts';
import { channelsOf } from './stop-checks.ts';
import { unitedNote } from './united-note.ts';

interface Lead {
  id: string;
  profile_id: string | null;
  erased_at: number | null;
}

/** Why nothing happens to one lead. Who had a turn is judged by the campaign in which that was. */
export async function leadChecks(context: CheckContext): Promise<Check[]> {
  const { tx, workspaceId, targetId, now } = context;
  const lead = isUuid(targetId)
    ? await tx.row<Lead>('select id, profile_id, erased_at from lead where id = $1', [targetId])
    : undefined;
  if (!lead) throw notFound('lead', targetId);
  const [exclusion] = await tx.rows<Exclusion>(
    `select source, level, removable from app.suppressions_of($1, null, array[$2::uuid], $3)
     where source <> 'erasure' or $4 order by removable, source limit 1`,
    [workspaceId, lead.id, now, lead.erased_at === null],
  );
  const runs = await readRuns(context, lead.id);
  const united = await unitedNote(context, lead.id);
  const live = runs.filter((run) => run.ended_at === null);
  // A workflow that does nothing at the network, or is over, needs no profile.
  const reached = lead.profile_id !== null || (runs.length > 0 && !live.some((run) => run.networks));
  return [
    lead.erased_at === null
      ? pass('not_erased', 'The lead is live.')
      : fail(
          'not_erased',
          'The lead was erased, which is for good; svc_search_leads shows who may be contacted.',
          'svc_search_leads',
          { workspaceId },
        ),
    exclusion
      ? fail('not_suppressed', `${exclusionText(exclusion)}${united}`, 'svc_search_leads', { workspaceId })
      : pass('not_suppressed', `The person is not suppressed.${united}`),
    !reached
      ? fail(
          'profile_known',
          'The lead has no profile address, so the network can not reach them.',
          'svc_upsert_lead',
          {
            workspaceId,
            leadId: lead.id,
          },
        )
      : pass(
          'profile_known',
          lead.profile_id === null
            ? 'The workflow of the lead needs no profile address.'
            : 'The profile address is known.',
        ),
    ...(runs.length === 0 ? await newChecks(context) : await turnChecks(context, runs, live)),
    ...(await enrichmentCheck(context)),
  ];
}

/** Of a lead that was in no workflow: who would take it, and what for. */
async function newChecks(context: CheckContext): Promise<Check[]> {
  const bars = await enrolmentBars(context);
  const best = await bestScore(context);
  return [
    claimCheck(context, bars),
    await scoreCheck(context, best, bars.find((bar) => bar.list_id !== null)?.list_id),
    await placeCheck(context, bars.find((bar) => bar.list_id !== null)?.campaign_id ?? best?.campaign_id),
    await freezeCheck({ ...context, channels: [''] }),
  ];
}

/** Of a lead that is in a workflow, or was. */
async function turnChecks(context: CheckContext, runs: readonly Run[], live: readonly Run[]): Promise<Check[]> {
  const [latest] = [...live, ...runs];
  const score = await bestScore(context, latest?.campaign_id ?? null);
  const what = live.length > 0 ? 'The lead is under way' : 'The lead had its turn';
  return [
    ...(live.length > 0 ? [] : await listedElsewhere(context)),
    scoreOfRun(score, what),
    await frozen(context, live),
    ...(await runChecks(context, runs)),
  ];
}

/** Whether a workflow of another campaign is to take who had a turn, by a list; what the person answered is no riddle. */
async function listedElsewhere(context: CheckContext): Promise<Check[]> {
  const bars = await enrolmentBars(context);
  const asked = bars.filter((bar) => !bar.was_there && bar.list_id !== null && bar.reason !== 'answered');
  return asked.length === 0 ? [] : [claimCheck(context, asked)];
}

async function frozen(context: CheckContext, live: readonly Run[]): Promise<Check> {
  const [first] = live;
  if (!first) return pass('send_freeze', 'Nothing of the lead is to be sent.');
  const channels = new Set<string>();
  for (const run of live) for (const channel of await channelsOf(context, run.workflow_id)) channels.add(channel);
  const scope = {
    workflowId: first.workflow_id,
    ...(first.account_id === null ? {} : { accountId: first.account_id }),
  };
  return freezeCheck({ ...context, channels: [...channels] }, scope);
}

/** What forbids contact, one of possibly several. */
interface Exclusion {
  source: string;
  level: string;
  removable: boolean;
}

/** Says whose decision it is: nothing but time or that somebody lifts an exclusion, and some are for good. */
function exclusionText({ source, level, removable }: Exclusion): string {
  const why =
    level === 'agency'
      ? 'a workspace of the agency shares its exclusions, and only it can lift this one'
      : level === 'platform'
        ? 'it holds on the whole platform'
        : removable
          ? 'somebody of this workspace excluded them'
          : 'it is their own wish or the law, and no tool lifts it';
  const entry = removable ? ' svc_check_signal_exclusion names the entry.' : '';
  return `The person is suppressed (${source}, ${level}): ${why}.${entry} svc_search_leads shows who may be contacted.`;
}
