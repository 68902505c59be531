import { monotonicMs, withDeadline } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { cleanForeign } from '../../domain/craft/clean-foreign.ts';
import {
  checkedVerdict,
  type JudgeQuestion,
  MOST_JUDGED as MOST_TEXT,
  NO_MODEL,
  type Verdict,
} from '../../domain/signals/judge-text.ts';
import type { AiWriter } from '../../providers/ai/ai-writer.ts';
import { CallError, isForGood } from '../../providers/call-error.ts';
import { signalsToJudge } from '../../store/signals/decide-signals.ts';
import { openDeciding } from '../../store/signals/deciding.ts';
import type { SignalAgent } from '../../store/signals/signal-agents.ts';
import type { SeenSignal, SignalPlace } from '../../store/signals/signal-page.ts';
import { keepVerdicts } from '../../store/signals/verdicts.ts';
import { callWriter } from '../calls/call-writer.ts';
import { ANSWER_MS, ASK_MS, type ScheduleContext, type ScheduleStep } from './schedule-handler.ts';

/** Signals that are judged in one step, which has half a minute, and in one run; the others are judged in the next. */
const AT_ONCE = 4;
const MOST_JUDGED = 200;
/** Signals without an answer after which a run asks nobody any more. */
const MOST_PASSED = 3;

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
  const passed = passedOver(cursor);
  const deciding = await openDeciding(tx, agent, { scheduledRunId: run.id, leadsLeft: null, now, newId });
  const { signals, after } = await signalsToJudge(tx, deciding, { after: placeOf(cursor), passed, most: AT_ONCE });
  const over =
    Number(result.judged ?? 0) >= MOST_JUDGED ||
    passed.length >= MOST_PASSED ||
    (signals.length === 0 && after === null);
  if (over) return { kind: 'more', cursor: { ...cursor, judged: true }, result };
  if (signals.length === 0) return { kind: 'more', cursor: { ...cursor, judgeAfter: after && [...after] }, result };
  return {
    kind: 'ask',
    cursor,
    result,
    async ask(outside, signal, deps) {
      const { writer } = await callWriter({ ...deps, outside });
      const { verdicts, unanswered } = await askAbout(writer, agent, signals, signal);
      return async (later) => {
        const { id: agentId, workspaceId, judge: wanted } = agent;
        await keepVerdicts(later.tx, { agentId, workspaceId, wanted, writer: writer.name, now: later.now }, verdicts);
        const judged = Number(result.judged ?? 0) + verdicts.length;
        const so = { ...result, judged, judgedBy: writer.name };
        if (unanswered === undefined) return { kind: 'more', cursor, result: so };
        const passed = [...passedOver(cursor), unanswered.signalId];
        return { kind: 'more', cursor: { ...cursor, passed }, result: { ...so, unjudged: unanswered.why } };
      };
    },
  };
}

/** What was said of signals; `unanswered`: the one about which nobody answered, which ended it. */
interface Said {
  verdicts: (Verdict & { signalId: string })[];
  unanswered?: { signalId: string; why: string };
}

/**
 * Asks about one signal after the other, while there is time for a whole answer. What was said is kept whatever becomes of the next one:
 * one text that a model refuses is no match, and one about which nobody answers is passed over, so that neither keeps an agent from the
 * others.
 * @throws CallError when nobody may be asked at all
 */
async function askAbout(
  writer: AiWriter,
  agent: SignalAgent,
  signals: readonly SeenSignal[],
  signal: AbortSignal,
): Promise<Said> {
  const verdicts: Said['verdicts'] = [];
  const until = monotonicMs() + ASK_MS - ANSWER_MS;
  for (const one of signals) {
    const { signalId } = one;
    if (verdicts.length > 0 && monotonicMs() > until) break;
    try {
      verdicts.push({ ...(await answerTo(writer, questionOf(agent, one), signal)), signalId });
    } catch (error) {
      if (verdicts.length > 0) break;
      if (signal.aborted || isForGood(error)) throw error;
      return { verdicts, unanswered: { signalId, why: messageOf(error) } };
    }
  }
  return { verdicts };
}

/** @throws what kept the writer from an answer, but for its refusal */
async function answerTo(writer: AiWriter, question: JudgeQuestion, signal: AbortSignal): Promise<Verdict> {
  try {
    const said = await withDeadline(ANSWER_MS, signal, (asked) => writer.judge(question, asked));
    // No writer is believed in what the source does not say.
    return said === NO_MODEL ? said : checkedVerdict(said, question.text);
  } catch (error) {
    if (!(error instanceof CallError) || error.kind !== 'refused') throw error;
    return { match: false, reason: 'the model refused to judge the text', evidence: '' };
  }
}

/** Signals about which nobody answered in this run: their turn comes in the next. */
function passedOver({ passed }: JsonObject): string[] {
  return Array.isArray(passed) ? passed.map(String) : [];
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
