import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/call.ts';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FailureLine } from '../../parts/loaded.tsx';
import { Table } from '../../parts/table.tsx';
import { ToldText } from '../../parts/told-text.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { count, counted, plainWords } from '../../parts/words.ts';

type Answer = Output<'svc_validate_workflow'>;
type Expected = NonNullable<Answer['forecast']>;

/** Leads that the simulation takes at most, and as many where nobody is in the pool yet. Source: svc_validate_workflow. */
const MOST_LEADS = 10_000;
const SOME_LEADS = 100;
const MOST_DAYS = 90;
/** Days that are shown of a plan. */
const SHOWN_DAYS = 31;

/** What is to be expected of a workflow under the real budgets and hours; nothing is sent or stored for it. */
export function Forecast({ workflowId, name, leads }: { workflowId: string; name: string; leads: number }) {
  const [people, setPeople] = useState(String(Math.min(MOST_LEADS, leads || SOME_LEADS)));
  const [days, setDays] = useState('30');
  // With the days that were asked for: what stands in the form may be another number by now.
  const [answered, setAnswered] = useState<{ answer: Answer; days: number } | undefined>(undefined);
  const deed = useDeed();
  const [simulateLeads, horizonDays] = [Number(people), Number(days)];
  const ask = (event: Event): void => {
    event.preventDefault();
    deed.run(async () => {
      const answer = await call('svc_validate_workflow', { workflowId, simulateLeads, horizonDays });
      setAnswered({ answer, days: horizonDays });
    });
  };
  return (
    <details class="more-about">
      <summary>
        Forecast<span class="unseen"> of {name}</span>
      </summary>
      <form class="inline-form" onSubmit={ask}>
        <TextField label="Leads" type="number" min={1} max={MOST_LEADS} required value={people} onValue={setPeople} />
        <TextField label="Days ahead" type="number" min={1} max={MOST_DAYS} required value={days} onValue={setDays} />
        <button type="submit" class="button" disabled={deed.busy}>
          {deed.busy ? 'Calculating…' : 'Calculate'}
        </button>
      </form>
      <FailureLine failure={deed.failure} />
      <div role="status">{answered === undefined ? null : <Answered {...answered} />}</div>
    </details>
  );
}

function Answered({ answer, days }: { answer: Answer; days: number }) {
  const problems = [
    ...answer.errors.map((one) => ({ ...one, tone: 'bad' as const })),
    ...answer.warnings.map((one) => ({ ...one, tone: 'warn' as const })),
  ];
  return (
    <>
      {answer.forecast === null ? null : <Plan forecast={answer.forecast} days={days} />}
      {problems.length === 0 ? null : (
        <ul class="problems">
          {problems.map(({ tone, code, message, nodeIndex }) => (
            <li key={`${code} ${nodeIndex} ${message}`} class={`problem problem-${tone}`}>
              <Icon name={tone === 'bad' ? 'warning' : 'info'} size={16} />{' '}
              <span>
                <ToldText text={message} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Plan({ forecast, days }: { forecast: Expected; days: number }) {
  const { perDay, finishesOn, bottleneck, credits, reviewItems } = forecast;
  const busy = perDay.filter((day) => touches(day) > 0 || day.enrolled > 0).slice(0, SHOWN_DAYS);
  return (
    <>
      <dl class="fact-row">
        <div>
          <dt>Done</dt>
          <dd>{finishesOn === null ? `not within ${counted(days, 'day')}` : `on ${finishesOn}`}</dd>
        </div>
        <div>
          <dt>Held up most by</dt>
          <dd>{bottleneck === null ? 'nothing' : plainWords(bottleneck.action)}</dd>
        </div>
        <div>
          <dt>Credits</dt>
          <dd>
            {count(credits.expected)}, at most {count(credits.worst)}
          </dd>
        </div>
        <div>
          <dt>Reviews</dt>
          <dd>{count(reviewItems)}</dd>
        </div>
      </dl>
      {busy.length === 0 ? (
        <p class="hint">Nothing would happen on any of these days.</p>
      ) : (
        <Table
          label="Forecast by day"
          rows={busy}
          keyOf={({ date }) => date}
          columns={[
            { head: 'Day', cell: ({ date }) => date },
            { head: 'Enrolled', align: 'right', cell: ({ enrolled }) => count(enrolled) },
            { head: 'Touches', align: 'right', cell: (day) => count(touches(day)) },
            { head: 'Of what kind', minor: true, cell: kindsOf },
          ]}
        />
      )}
    </>
  );
}

const touches = ({ actionsByKind }: Expected['perDay'][number]): number =>
  Object.values(actionsByKind).reduce((sum, one) => sum + one, 0);

const kindsOf = ({ actionsByKind }: Expected['perDay'][number]): string =>
  Object.entries(actionsByKind)
    .filter(([, units]) => units > 0)
    .map(([kind, units]) => `${plainWords(kind)} ${count(units)}`)
    .join(', ');
