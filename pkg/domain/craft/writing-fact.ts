/** Something on record that a text may state. Texts cite facts by their ids. */
export interface WritingFact {
  /** Short and only good within one order: f1, f2 … of the record, c1, c2 … of a conversation. */
  id: string;
  text: string;
  /** The field or record that says so: `lead:title`, `signal:new_post`, `conversation:in`, `post:text`, `caller:topic`. */
  source: string;
  /** When it happened or was said, epoch ms product time; null: not known. */
  at: number | null;
}

/** A part of a written text, with the facts that it cites. */
export interface Segment {
  text: string;
  factIds: readonly string[];
}
