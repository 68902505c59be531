import type { Output } from '../../api/call.ts';
import { useTool } from '../../api/resource.ts';
import { Bar } from '../../parts/bar.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { useSlowly } from '../../parts/use-slowly.ts';
import { count, percent, plainWords } from '../../parts/words.ts';

type Answer = Output<'svc_get_network_account_budgets'>;
type Budget = Answer['budgets'][number];

/** What an account may still do: used, reserved of that, left, when it begins anew, and what others used of it. */
export function Budgets({
  networkAccountId,
  shared,
  name,
}: {
  networkAccountId: string;
  shared: boolean;
  name: string;
}) {
  const budgets = useTool('svc_get_network_account_budgets', { networkAccountId });
  useSlowly(budgets, ['account', 'message', 'connection', 'run']);
  return (
    <Loaded of={budgets} lines={4}>
      {(answer) => (
        <>
          <RampUp rampUp={answer.rampUp} />
          <ul class="budgets" aria-label={`Budgets of ${name}`}>
            {inUse(answer.budgets).map((line) => (
              <BudgetLine key={`${line.action} ${line.window}`} line={line} shared={shared} />
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

/** Those that were used come first. */
function inUse(budgets: readonly Budget[]): Budget[] {
  return budgets.toSorted((a, b) => Number(b.used > 0) - Number(a.used > 0));
}

function BudgetLine({ line, shared }: { line: Budget; shared: boolean }) {
  const { action, window, effectiveLimit, limit, used, reserved, remaining, resetsAt } = line;
  const { workspaceShareRemaining, usedByOthers } = line;
  const others = usedByOthers ?? 0;
  const own = Math.max(0, used - reserved - others);
  return (
    <li class="budget">
      <span class="budget-name">
        {plainWords(action)} <span class="budget-window">a {window}</span>
      </span>
      <Bar
        whole={Math.max(effectiveLimit, used)}
        parts={[
          { value: own, tone: 'accent' },
          { value: others, tone: 'plain' },
          { value: Math.min(reserved, used), tone: 'warn' },
        ]}
      />
      <span class="budget-numbers">
        <strong>{count(remaining)} left</strong> of {count(effectiveLimit)}
        {effectiveLimit < limit ? ` (later ${count(limit)})` : ''}
        {used > 0 ? ` · ${count(used)} used` : ''}
        {reserved > 0 ? `, ${count(reserved)} of them reserved` : ''}
        {shared && used > 0 && usedByOthers !== null ? ` · others ${count(usedByOthers)}` : ''}
        {workspaceShareRemaining < remaining ? ` · ${count(workspaceShareRemaining)} left for this workspace` : ''} ·
        anew <Time at={resetsAt} />
      </span>
    </li>
  );
}

function RampUp({ rampUp: { enabled, factor, day, days, completesAt } }: { rampUp: Answer['rampUp'] }) {
  if (!enabled || factor >= 1) return null;
  return (
    <p class="hint">
      Warming up: day {count(day)} of {count(days)}, {percent(factor)} of its limits
      {completesAt === null ? '' : ', whole '}
      {completesAt === null ? null : <Time at={completesAt} />}.
    </p>
  );
}
