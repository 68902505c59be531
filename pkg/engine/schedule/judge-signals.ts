import type { JsonObject } from '../../base/json.ts';
import { cleanForeign } from '../../domain/craft/clean-foreign.ts';
import { checkedVerdict, MOST_JUDGED as MOST_TEXT, NO_MODEL, type Verdict } from '../../domain/signals/judge-text.ts';
import { signalsToJudge } from '../../store/signals/decide-signals.ts';
import { openDeciding } from '../../store/signals/deciding.ts';
import type { SignalAgent } from '../../store/signals/signal-agents.ts';
import type { SeenSignal, SignalPlace } from '../../store/signals/signal-page.ts';
import { keepVerdicts } from '../../store/signals/verdicts.ts';
import { callWriter } from '../calls/call-writer.ts';
import type { ScheduleContext, ScheduleStep } from './schedule-handler.ts';

/** Signals that are judged in one step, which has half a minute, and in one run; the others are judged in the next. */
const AT_ONCE = 4;
const MOST_JUDGED = 200;

/**
 * Asks about the next signals that match the criteria of an agent whose owner said what else must be true. What is not judged yet is not
 * decided yet. @returns undefined: nobody is to be asked (any more)
 */
export async function judgeNext(
  context: ScheduleContext,
  agent: SignalAgent,
  cursor: JsonObject,
): Promise<ScheduleStep | undefined> {
  const { tx, run, now, newId } = context;
  const { result } = run;
  if (agent.judge === '' || cursor.judged === true || cursor.after !== undefined) return undefined;
  const deciding = await openDeciding(tx, agent, { scheduledRunId: run.id, leadsLeft: null, now, newId });
  const { signals, after } = await signalsToJudge(tx, deciding, placeOf(cursor), AT_ONCE);
  const over = Number(result.judged ?? 0) >= MOST_JUDGED || (signals.length === 0 && after === null);
  if (over) return { kind: 'more', cursor: { ...cursor, judged: true }, result };
  if (signals.length === 0) return { kind: 'more', cursor: { ...cursor, judgeAfter: after && [...after] }, result };
  return {
    kind: 'ask',
    cursor,
    result,
    async ask(outside, signal, deps) {
      const { writer } = await callWriter({ ...deps, outside });
      const verdicts: (Verdict & { signalId: string })[] = [];
      for (const one of signals) {
        const question = questionOf(agent, one);
        const said = await writer.judge(question, signal);
        // No writer is believed in what the source does not say.
        const verdict = said === NO_MODEL ? said : checkedVerdict(said, question.text);
        verdicts.push({ ...verdict, signalId: one.signalId });
      }
      return async (later) => {
        const { id: agentId, workspaceId, judge: wanted } = agent;
        await keepVerdicts(later.tx, { agentId, workspaceId, wanted, writer: writer.name, now: later.now }, verdicts);
        const judged = Number(result.judged ?? 0) + verdicts.length;
        return { kind: 'more', cursor, result: { ...result, judged, judgedBy: writer.name } };
      };
    },
  };
}

function questionOf({ judge }: SignalAgent, signal: SeenSignal): { wanted: string; text: string } {
  const { title = '', headline = '', company = '' } = signal.lead ?? {};
  const person = [title, headline, company].filter((part) => part !== '').join(', ');
  const text = person === '' ? signal.said : `${signal.said}\n${person}`;
  return { wanted: judge, text: cleanForeign(text, MOST_TEXT) };
}

function placeOf({ judgeAfter }: JsonObject): SignalPlace | null {
  return Array.isArray(judgeAfter) ? [Number(judgeAfter[0]), String(judgeAfter[1])] : null;
}
