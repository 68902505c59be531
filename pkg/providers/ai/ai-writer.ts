import type { CraftOrder, CraftResult } from '../../domain/craft/craft-order.ts';
import type { PlaybookFacts } from '../../domain/playbook-writer.ts';
import type { JudgeQuestion, Verdict } from '../../domain/signals/judge-text.ts';
import type { ReplyClass } from '../../domain/vocabulary.ts';

/** A playbook, and what is to be told about it that is no part of it. */
export interface WrittenPlaybook {
  text: string;
  /** Whether the text is that of a language model, which costs credits. */
  byModel: boolean;
  notes: readonly string[];
}

/** Port of whatever writes texts: a language model, or the built-in template writer. */
export interface AiWriter {
  /** Name that is stored with its texts, for example `template`. */
  readonly name: string;
  /** Whether its texts cost credits; the built-in writer's do not. */
  readonly billable: boolean;
  /**
   * Writes a workspace playbook, plain text, 50,000 characters at most.
   * @throws Waiting when the writer is not reachable now
   */
  writePlaybook(facts: PlaybookFacts): Promise<WrittenPlaybook>;
  /**
   * Writes a text from facts on record, plain text, that the checker lets pass; else says why there is none.
   * @throws CallError
   */
  craft(order: CraftOrder, signal: AbortSignal): Promise<CraftResult>;
  /** Classifies a reply (epoch ms product time of its arrival). @throws CallError */
  classify(text: string, receivedAt: number, signal: AbortSignal): Promise<ReplyClass>;
  /**
   * Says whether a text of others shows what somebody looks for, with the words of it that do; the built-in writer says that it can't.
   * @throws CallError
   */
  judge(question: JudgeQuestion, signal: AbortSignal): Promise<Verdict>;
}
