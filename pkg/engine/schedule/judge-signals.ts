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
import { type Deciding, openDeciding } from '../../store/signals/deciding.ts';
import type { SignalAgent } from '../../store/signals/signal-agents.ts';
import type { SeenSignal, SignalPlace } from '../../store/signals/signal-page.ts';
import { giveBackToJudge, pageToJudge, type ToJudge, takeToJudge } from '../../store/signals/signals-to-judge.ts';
import { keepVerdicts } from '../../store/signals/verdicts.ts';
import { callWriter } from '../calls/call-writer.ts';
import { bump } from './counts-of.ts';
import { ANSWER_MS, ASK_MS, type ScheduleContext, type ScheduleStep } from './schedule-handler.ts';

/** Signals that are judged in one step, which has half a minute, and in one run; the others are judged in the next. */
const AT_ONCE = 4;
const MOST_JUDGED = 200;
/** Signals without an answer after which a run asks nobody any more. */
const MOST_PASSED = 3;

/** Where a run stands that asks: what the page is left with, and what is left of the day. */
interface Judging {
  todo: ToJudge[];
  leads: number;
  credits: number | null;
  /** As they were when the page was read, and where it begins: for a page that is to be read again. */
  before: { leads: number; credits: number | null } | null;
  from: SignalPlace | null;
  again: boolean;
  next: SignalPlace | null;
}

/**
 * Asks about the next signals that match the criteria of an agent whose owner said what else must be true: a page is read once, and each of its
 * signals asked about once, a few in a step. What is not judged yet is not decided yet.
 * @returns undefined: nobody is to be asked (any more)
 */
export async function judgeNext(
  context: ScheduleContext,
  agent: SignalAgent,
  cursor: JsonObject,
): Promise<ScheduleStep | undefined> {
  const { tx, run, now, newId } = context;
  if (agent.judge === '' || cursor.judged === true || cursor.after !== undefined) return undefined;
  const deciding = await openDeciding(tx, agent, { scheduledRunId: run.id, leadsLeft: null, now, newId });
  const at = judgingOf(cursor);
  const passed = passedOver(cursor);
  if (judgedOf(run.result) >= MOST_JUDGED || passed.length >= MOST_PASSED) return endOf(run.result, cursor);
  const chosen = at === null ? [] : chooseNow(at, MOST_JUDGED - judgedOf(run.result));
  if (at === null || chosen.length === 0) return nextPage(context, deciding, cursor, at);
  const { signals, day, over } = await takeToJudge(
    tx,
    deciding,
    chosen.map((one) => one.signalId),
  );
  if (over) return endOf(run.result, cursor);
  const asked = new Set(signals.map((one) => one.signalId));
  // What was decided, excluded or judged meanwhile is asked about no more.
  const gone = chosen.filter((one) => !asked.has(one.signalId));
  const left = withoutSignals(at, gone);
  if (signals.length === 0) return { kind: 'more', cursor: { ...cursor, judging: plainOf(left) }, result: run.result };
  return {
    kind: 'ask',
    cursor: { ...cursor, judging: plainOf(left) },
    result: run.result,
    async ask(outside, signal, deps) {
      const { writer } = await callWriter({ ...deps, outside });
      const said = await askAbout(writer, agent, signals, signal);
      const heard = { agent, cursor, result: run.result, at: left, signals, day, said, writer: writer.name };
      return (later) => keepSaid(later, heard);
    },
  };
}

function endOf(result: JsonObject, { judging: _, ...cursor }: JsonObject): ScheduleStep {
  return { kind: 'more', cursor: { ...cursor, judged: true }, result };
}

/** Reads the next page, or the same one once more where a run can not keep all of it. */
async function nextPage(
  { tx, run }: ScheduleContext,
  deciding: Deciding,
  cursor: JsonObject,
  at: Judging | null,
): Promise<ScheduleStep> {
  // Of a page that is left with some nothing more is to be had today.
  const same = at?.again === true && at.todo.length === 0;
  if (at !== null && !same && (at.next === null || at.leads <= 0)) return endOf(run.result, cursor);
  const from = at === null ? null : same ? at.from : at.next;
  const before = at === null ? null : same ? at.before : { leads: at.leads, credits: at.credits };
  const page = await pageToJudge(tx, deciding, { after: from, left: before, passed: passedOver(cursor) });
  const { candidates: todo, again, leads, credits, next } = page;
  const judging = { todo, leads, credits, before, from, again: again && leads > 0, next };
  return { kind: 'more', cursor: { ...cursor, judging: plainOf(judging) }, result: run.result };
}

/** The next few of a page: each person once, for as long as the day has room. */
function chooseNow({ todo, leads, credits }: Judging, most: number): ToJudge[] {
  const persons = new Set<string>();
  const chosen: ToJudge[] = [];
  let left = credits;
  for (const one of todo) {
    if (chosen.length >= Math.min(AT_ONCE, most) || persons.size >= leads) break;
    if (one.persons.every((person) => persons.has(person))) continue;
    if (left !== null && one.cost > left) continue;
    if (left !== null) left -= one.cost;
    for (const person of one.persons) persons.add(person);
    chosen.push(one);
  }
  return chosen;
}

function withoutSignals(at: Judging, gone: readonly Pick<ToJudge, 'signalId'>[]): Judging {
  const ids = new Set(gone.map((one) => one.signalId));
  return { ...at, todo: at.todo.filter((one) => !ids.has(one.signalId)) };
}

/** An answer, and the run as it stood when it was asked for. */
interface Heard {
  agent: SignalAgent;
  cursor: JsonObject;
  result: JsonObject;
  at: Judging;
  signals: readonly SeenSignal[];
  day: string;
  said: Said;
  writer: string;
}

/** Keeps what was said: a yes takes of the day what its persons would, who are asked about no more. */
async function keepSaid({ tx, now }: ScheduleContext, heard: Heard): Promise<ScheduleStep> {
  const { agent, cursor, signals, day, writer } = heard;
  const { verdicts, unanswered } = heard.said;
  await keepVerdicts(
    tx,
    { agentId: agent.id, workspaceId: agent.workspaceId, wanted: agent.judge, writer, now },
    verdicts,
  );
  await giveBackToJudge(tx, agent.id, day, signals.length - verdicts.length - (unanswered ? 1 : 0));
  const result: JsonObject = { ...heard.result, judged: judgedOf(heard.result) + verdicts.length, judgedBy: writer };
  for (const { match } of verdicts) bump(result, match ? 'judged_yes' : 'judged_no', 1);
  const at = afterVerdicts(heard.at, verdicts);
  if (unanswered === undefined) return { kind: 'more', cursor: { ...cursor, judging: plainOf(at) }, result };
  const judging = plainOf(withoutSignals(at, [unanswered]));
  const passed = [...passedOver(cursor), unanswered.signalId];
  return { kind: 'more', cursor: { ...cursor, judging, passed }, result: { ...result, unjudged: unanswered.why } };
}

function afterVerdicts(at: Judging, verdicts: Said['verdicts']): Judging {
  const matched = new Set(verdicts.filter((one) => one.match).map((one) => one.signalId));
  const taken = at.todo.filter((one) => matched.has(one.signalId));
  const persons = new Set(taken.flatMap((one) => one.persons));
  const cost = taken.reduce((sum, one) => sum + one.cost, 0);
  const todo = withoutSignals(at, verdicts).todo.flatMap((one) => {
    const left = one.persons.filter((person) => !persons.has(person));
    return left.length === 0 ? [] : [{ ...one, persons: left }];
  });
  const credits = at.credits === null ? null : Math.max(0, at.credits - cost);
  return { ...at, todo, leads: Math.max(0, at.leads - persons.size), credits };
}

function judgedOf({ judged }: JsonObject): number {
  return Number(judged ?? 0);
}

/** Null: no page was read yet. */
function judgingOf({ judging }: JsonObject): Judging | null {
  return judging === undefined ? null : (judging as unknown as Judging);
}

function plainOf(judging: Judging): JsonObject {
  return { ...judging } as unknown as JsonObject;
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
  // What is said of a company is asked about once for all its people.
  const {
    title = '',
    headline = '',
    company = '',
  } = signal.ofCompany ? { company: signal.lead?.company } : (signal.lead ?? {});
  const person = [title, headline, company].filter((part) => part !== '').join(', ');
  const text = person === '' ? signal.said : `${signal.said}\n${person}`;
  return { wanted: judge, text: cleanForeign(text, MOST_TEXT) };
}
