import { iso } from '../../times.ts';
import { type Cause, type Check, type CheckContext, fail, pass } from './check.ts';

/** What a campaign of the workspace says to a lead that is in no workflow. */
export interface EnrolmentBar {
  campaign_id: string;
  /** The lead had its turn there: that it is over is no riddle. */
  was_there: boolean;
  /** The lead's score is enough for it. */
  qualifies: boolean;
  /** A list that has the lead and from which an enabled workflow takes its own. */
  list_id: string | null;
  /** Why it does not take the lead; null: nothing keeps it from it. */
  reason: 'answered' | 'company' | 'under_way' | 'elsewhere' | 'contacted' | null;
  until: number | null;
  contacted_at: number | null;
  run_id: string | null;
}

/** By the rules of an enrolment, each campaign that could take the lead. */
export function enrolmentBars({ tx, workspaceId, targetId, now }: CheckContext): Promise<EnrolmentBar[]> {
  return tx.rows<EnrolmentBar>('select * from app.enrolment_bars($1, $2, $3)', [workspaceId, targetId, now]);
}

/** Whether some campaign may take the person: of those that the lead is a candidate of, where there are any. */
export function claimCheck({ workspaceId, targetId }: CheckContext, bars: readonly EnrolmentBar[]): Check {
  const others = bars.filter((bar) => !bar.was_there);
  const candidates = others.filter((bar) => bar.qualifies || bar.list_id !== null);
  const asked = candidates.length > 0 ? candidates : others;
  const barred = asked.filter((bar) => bar.reason !== null);
  const [first] = barred.toSorted((a, b) => (a.until ?? Number.MAX_VALUE) - (b.until ?? Number.MAX_VALUE));
  if (!first) return pass('not_claimed', 'Nobody else is in contact with the person, and nobody was lately.');
  if (barred.length < asked.length)
    return pass('not_claimed', `${asked.length - barred.length} of ${asked.length} campaigns may take the person.`);
  const { text, tool, input } = causeOf(first, { workspaceId, leadId: targetId });
  const skips = first.reason === 'answered' ? '' : ' As long as that is so, svc_trigger_workflow skips the lead.';
  return fail('not_claimed', `${text}${skips}`, tool, input);
}

function causeOf(
  { campaign_id: campaign, reason, until, contacted_at: at, run_id: run }: EnrolmentBar,
  { workspaceId, leadId }: { workspaceId: string; leadId: string },
): Cause {
  switch (reason) {
    case 'answered':
      return {
        text: `The person answered${at === null ? '' : ` at ${iso(at)}`} with a no, or with what nobody understood: no source takes them again. Read the conversation (svc_list_conversations); svc_trigger_workflow takes the lead when leadIds names it.`,
        tool: 'svc_list_conversations',
        input: { workspaceId },
      };
    case 'company':
      return {
        text: `Somebody of the same company answered, and campaign ${campaign} leaves the whole company alone then (contactPolicy.stopCompanyOnReply).`,
        tool: 'svc_update_campaign',
        input: { campaignId: campaign, contactPolicy: { stopCompanyOnReply: false } },
      };
    case 'under_way':
      return {
        text: `The same person is under way as another lead (run ${run}).`,
        tool: 'svc_get_workflow_run',
        input: { runId: run },
      };
    case 'elsewhere':
      return {
        text: 'Another workspace of the agency is in contact with the person.',
        tool: 'svc_get_lead',
        input: { leadId },
      };
    default:
      return {
        text: `The person was contacted${at === null ? '' : ` at ${iso(at)}`}, and campaign ${campaign} takes them before ${iso(until ?? 0)} only if its contactPolicy has recontactAfterDays 0 and dedupeScope campaign.`,
        tool: 'svc_get_campaign',
        input: { campaignId: campaign },
      };
  }
}

interface Place {
  campaign_id: string;
  workflow_id: string | null;
  enabled: boolean;
}

/** A lead in no workflow: which one takes it, or what there has to be first. */
export async function placeCheck(
  { tx, workspaceId, targetId }: CheckContext,
  campaignId: string | undefined,
): Promise<Check> {
  const place = await tx.row<Place>(
    `select c.id as campaign_id, w.id as workflow_id, w.enabled is true as enabled
     from campaign c
     left join workflow w on w.campaign_id = c.id and w.deleted_at is null and w.graph_version > 0
     where c.workspace_id = $1 and c.deleted_at is null and c.state in ('draft', 'active')
     order by
       w.enabled is true desc, c.id = $2 desc, w.id is null, c.created_at desc, w.created_at desc, w.id
     limit 1`,
    [workspaceId, campaignId ?? ''],
  );
  const text = 'The lead is in no workflow';
  if (!place)
    return fail('enrolled', `${text}, and no campaign is there to have one.`, 'svc_create_campaign', { workspaceId });
  const { campaign_id: id, workflow_id: workflowId, enabled } = place;
  if (workflowId === null)
    return fail('enrolled', `${text}, and none is there yet.`, 'svc_create_workflow', { campaignId: id });
  if (!enabled)
    return fail('enrolled', `${text}, and none is enabled.`, 'svc_update_workflow_status', {
      workflowId,
      enabled: true,
    });
  return fail('enrolled', `${text}.`, 'svc_trigger_workflow', { workflowId, leadIds: [targetId] });
}
