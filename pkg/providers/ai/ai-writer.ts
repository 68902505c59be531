import type { PlaybookFacts } from '../../domain/playbook-writer.ts';

/** Port of whatever writes texts: a language model, or the built-in template writer. */
export interface AiWriter {
  /** Name that is stored with its texts, for example `template`. */
  readonly name: string;
  /**
   * Writes a workspace playbook, plain text, 50,000 characters at most.
   * @throws Waiting when the writer is not reachable now
   */
  writePlaybook(facts: PlaybookFacts): Promise<string>;
}
