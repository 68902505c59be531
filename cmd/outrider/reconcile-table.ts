import type { AccountDifferences, Found, ReconcileReport } from '../../pkg/engine/restore/reconcile.ts';
import type { Missing } from '../../pkg/store/restore/restore-lift.ts';

/** Differences shown per account; the rest is counted. */
const MAX_LINES = 50;

/** The report as a person reads it in a terminal. */
export function reconcileLines(report: ReconcileReport): string[] {
  const lines =
    report.reasons.length > 0 ? report.reasons.map((reason) => `FROZEN  ${reason}`) : ['Sends are not frozen.'];
  for (const account of report.accounts) lines.push('', ...accountLines(account, report.applied));
  if (report.resources.length > 0) lines.push('', 'Resources older than their rows:');
  for (const { kind, id, rowGeneration, liveGeneration, outcome } of report.resources) {
    const live = liveGeneration === null ? 'gone' : `generation ${liveGeneration}`;
    const what = outcome === 'taken' ? 'the resource is taken as it is' : 'held: apply it again, then release it';
    lines.push(`  ${kind} ${id}  row generation ${rowGeneration}, resource ${live}: ${what}`);
  }
  if (!report.resourcesCompared)
    lines.push(
      '',
      'RESOURCES NOT COMPARED: no operator answered. Sends freeze again if some are older than their rows.',
    );
  return [...lines, '', ending(report)];
}

function accountLines(
  { accountId, name, since, found, missing, failed }: AccountDifferences,
  applied: boolean,
): string[] {
  const head = `Account ${accountId} (${name}), compared since ${new Date(since).toISOString()}`;
  if (failed !== null) return [head, `  NOT COMPARED: ${failed}. It does not act until it was.`];
  const adopted = found.filter((one) => one.leftAlone === null).length;
  const verb = applied ? 'taken over' : 'to take over';
  return [
    `${head}: ${adopted} ${verb}, ${found.length - adopted} left alone, ${missing.length} not shown by the provider`,
    ...bounded(found.map((one) => foundLine(one, verb))),
    ...bounded(missing.map(missingLine)),
  ];
}

function foundLine({ kind, who, nodes, leftAlone, ...shown }: Found, verb: string): string {
  const at = shown.at === null ? '' : ` at ${new Date(shown.at).toISOString()}`;
  const text = shown.text ? ` "${shown.text.replace(/\s+/g, ' ').slice(0, 40)}"` : '';
  const what =
    leftAlone === null ? `${verb}${nodes.length > 0 ? ` as ${nodes.join(', ')}` : ''}` : `left alone: ${leftAlone}`;
  return `  + ${kind} to ${who}${at}${text}: ${what}`;
}

function missingLine({ action, profileUrl, at, sendId }: Missing): string {
  return `  - ${action} to ${profileUrl ?? '?'} at ${new Date(at).toISOString()} (send ${sendId}): confirmed here, not shown by the provider`;
}

function bounded(lines: string[]): string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `  … and ${lines.length - MAX_LINES} more`];
}

function ending({ applied, accounts }: ReconcileReport): string {
  if (!applied) return 'Nothing was changed. Run without --dry-run to take over and lift the freeze.';
  const failed = accounts.filter((account) => account.failed !== null).length;
  if (failed === 0) return 'The freeze is lifted; sends go on.';
  return `The freeze is lifted; ${failed} accounts stay stopped until their provider answers.`;
}
