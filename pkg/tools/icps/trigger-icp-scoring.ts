import { z } from 'zod';
import { icpScore } from '../../domain/icp-score.ts';
import type { Tx } from '../../postgres/database.ts';
import { wakeIfWorking } from '../../store/wake.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { type IcpRow, requireIcp } from './icp-row.ts';

interface Candidate {
  id: string;
  title: string;
  headline: string;
  seniority: string;
  company: string;
  company_size: string;
  industry: string;
}

/** Leads scored per statement. */
const CHUNK = 2_000;

export const triggerIcpScoring = tool({
  name: 'svc_trigger_icp_scoring',
  domain: 'ICPs',
  title: 'Trigger ICP scoring',
  description:
    "Starts computing scores for the campaign's leads; run after importing leads or editing the ICP. A running pass is joined, not doubled. Next: svc_get_icp_scores.",
  scope: 'icps:write',
  category: 'write',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ icpId: z.string().min(1) }),
  output: z.object({ scoringJobId: z.string(), status: z.string(), leadsQueued: z.number() }),
  async run(ctx, input) {
    const icp = await ctx.tx((tx) => requireIcp(tx, input.icpId));
    return ctx.tx(async (tx) => {
      // A second call waits for the running pass and then finds its scores fresh enough to be repeated cheaply.
      await tx.exec('select pg_advisory_xact_lock(hashtextextended($1, 31))', [icp.id]);
      const leadsQueued = await scoreAll(ctx, tx, icp);
      return { scoringJobId: icp.id, status: 'completed', leadsQueued };
    });
  },
});

/**
 * Candidates: leads attached to the campaign (imported for it, or members of its lists), and private leads of the
 * workspace that are attached to no campaign.
 */
const CANDIDATES = `select l.id, l.title, l.headline, l.seniority, l.company, l.company_size, l.industry from lead l
  where l.erased_at is null and ($3::uuid is null or l.id > $3) and (
    exists (select 1 from campaign_lead c where c.lead_id = l.id and c.campaign_id = $2)
    or exists (select 1 from lead_list_member m join lead_list t on t.id = m.lead_list_id where m.lead_id = l.id and t.campaign_id = $2 and t.deleted_at is null)
    or (l.workspace_id = $1 and not exists (select 1 from campaign_lead c where c.lead_id = l.id and c.workspace_id = $1)
        and not exists (select 1 from lead_list_member m join lead_list t on t.id = m.lead_list_id where m.lead_id = l.id and t.campaign_id is not null and t.deleted_at is null)))
  order by l.id limit $4`;

async function scoreAll(ctx: ToolContext, tx: Tx, icp: IcpRow): Promise<number> {
  const now = ctx.clocks.product.now();
  let after: string | null = null;
  let count = 0;
  for (;;) {
    const chunk: Candidate[] = await tx.rows<Candidate>(CANDIDATES, [icp.workspace_id, icp.campaign_id, after, CHUNK]);
    if (chunk.length > 0) await store(tx, icp, chunk, now);
    count += chunk.length;
    ctx.progress(count, count + (chunk.length === CHUNK ? CHUNK : 0), 'leads scored');
    after = chunk.at(-1)?.id ?? null;
    if (chunk.length < CHUNK) break;
  }
  // A lead that is no candidate any more has no score here.
  await tx.exec('delete from lead_score where icp_id = $1 and computed_at < $2', [icp.id, now]);
  await tx.exec('update icp set scored_at = $2, scores_stale = false where id = $1', [icp.id, now]);
  await wakeIfWorking(tx, icp.workspace_id, now, 'scores changed');
  return count;
}

async function store(tx: Tx, icp: IcpRow, chunk: readonly Candidate[], now: number): Promise<void> {
  const criteria = {
    titles: icp.titles,
    industries: icp.industries,
    seniorities: icp.seniorities,
    companySizes: icp.company_sizes,
    keywords: icp.keywords,
  };
  const scores = chunk.map((lead) => icpScore({ ...lead, companySize: lead.company_size }, criteria));
  await tx.exec(
    `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, reasons, computed_at)
     select $1, $2, $3, u.id, u.score, 0, u.score, u.reasons::jsonb, $7 from unnest($4::uuid[], $5::real[], $6::text[]) u (id, score, reasons)
     on conflict (icp_id, lead_id) do update set icp_score = excluded.icp_score, signal_score = excluded.signal_score,
       total = excluded.total, reasons = excluded.reasons, computed_at = excluded.computed_at`,
    [
      icp.workspace_id,
      icp.campaign_id,
      icp.id,
      chunk.map((lead) => lead.id),
      scores.map((score) => score.score),
      scores.map((score) => JSON.stringify(score.reasons)),
      now,
    ],
  );
}
