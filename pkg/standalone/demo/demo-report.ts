import type { DemoProgress, DemoSummary } from './demo.ts';

/** One line of live progress. */
export function progressLine(progress: DemoProgress, startedAt: number, until: number): string {
  const share = Math.min(1, Math.max(0, (progress.now - startedAt) / Math.max(1, until - startedAt)));
  const bar = `${'█'.repeat(Math.round(share * 24))}${'░'.repeat(24 - Math.round(share * 24))}`;
  const { counts } = progress;
  const done = ['profile_view', 'connection_request', 'message', 'withdraw_request']
    .filter((kind) => counts[kind])
    .map((kind) => `${counts[kind]} ${LABELS[kind]}`)
    .join(', ');
  return `demo ${bar} ${new Date(progress.now).toISOString().slice(0, 16).replace('T', ' ')}  ${done || progress.step}`;
}

const LABELS: Record<string, string> = {
  profile_view: 'views',
  connection_request: 'requests',
  message: 'messages',
  withdraw_request: 'withdrawals',
};

/** The table that the demo ends with. */
export function summaryTable(summary: DemoSummary): string {
  const { leads, outcome, reviews, ledger } = summary;
  const rows: [string, string][] = [
    ['leads imported', `${leads.imported} (${leads.updated} merged into others)`],
    ['leads skipped', `${leads.skipped}`],
    ['scored / in the campaign', `${leads.scored} / ${leads.inCampaign}`],
    ['reviews approved / rejected', `${reviews.approved} / ${reviews.rejected}`],
    ['connection requests', `${outcome.requests}`],
    ['accepted', `${outcome.acceptances}`],
    ['messages', `${outcome.messages}`],
    ['replies', `${outcome.replies}`],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(30)} ${value}`);
  const skipped = leads.problems.slice(0, 5).map((problem) => `    ${problem}`);
  const budgets = summary.budgets.map(
    (peak) =>
      `  ${`${peak.account}, ${peak.action}`.padEnd(42)} ${String(peak.used).padStart(3)} of ${String(peak.limit).padStart(3)} on ${peak.day}`,
  );
  return [
    '',
    `The demo ran six weeks of a campaign in ${summary.seconds} s.`,
    ...lines,
    ...(skipped.length > 0 ? ['  first skipped rows:', ...skipped] : []),
    '',
    '  Highest use of a daily budget',
    ...budgets,
    '',
    `  Ledger: ${ledger.recorded} recorded, ${ledger.received} received by the network; missing ${ledger.missing}, double ${ledger.double}`,
    '',
    `  Look next: npx outrider call svc_get_workflow_stats '{"workflowId":"${summary.workflowId}"}'`,
    '',
  ].join('\n');
}
