/**
 * What each column of the schema holds, for all that erases: of a person (svc_admin_erase_subject, svc_erase_lead), of a deleted
 * workspace, of what its retention ends. A new column gets its mark here; `make verify` fails without one.
 *
 * erase: words by or about somebody, which are emptied. hash: what a person is recognised by, which becomes a salted hash.
 * none: ids of ours, times, numbers, states, and what is a hash already: they tell nobody who somebody was.
 */
export interface TableMarks {
  /** Columns by mark, in words. */
  none: string;
  erase?: string;
  hash?: string;
  /** Keys of calls: one that names the person becomes a salted hash, under which the same call is still known (app.kept_key). */
  keys?: string;
  /**
   * Of the erased columns those that say what something is or is called: addresses, names, employers, users. They hold no prose, so that
   * the name of a person proves nothing there: a firm may be called so. What proves the person is cut out of them all the same.
   */
  facts?: string;
  /**
   * Which rows `t` hold texts in which a person is meant whom the workspace `s.workspace_id` knows, as SQL; default: its own, and those
   * of accounts that no other workspace has.
   */
  knownBy?: string;
  /** Rows `t` whose words stay for now, as SQL, though they name the person: what is under way is looked up by them. */
  stays?: string;
  /**
   * Which rows `t` are about the person `s` (app.erasure_subject), as SQL; absent: rows are about nobody, and words in them are found
   * only where they name the person.
   */
  person?: string;
  /** What becomes of those rows: their marked columns are emptied, or the row goes. Default: empty. */
  rows?: 'empty' | 'delete';
  /**
   * What becomes of a row that names the person without being about them: the name is cut out of the text, the marked columns are
   * emptied, or the row goes. no: such a row is left. Default: cut.
   */
  mentions?: 'cut' | 'empty' | 'delete' | 'no';
  /**
   * Which rows `t` a deleted workspace `s.workspace_id` leaves, as SQL; default: those with its workspace_id. Empty: the runs of its
   * workflows lead there, or the rows belong to none.
   */
  workspace?: string;
  /** What becomes of those rows. Default: empty. */
  left?: 'empty' | 'delete';
  /** What an emptied column holds, as SQL; default: the column's default, else null, else what its type calls empty. */
  emptied?: Readonly<Record<string, string>>;
}
