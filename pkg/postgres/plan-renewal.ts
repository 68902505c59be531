/** The transaction of a connection with which its plans are made anew, and by what that is multiplied for each further time. */
const FIRST = 16;
const TIMES = 4;

/**
 * A plan suits the sizes that its tables have when it is made, and is kept. Of a connection that begins with empty tables it would
 * compare all with all for good: its plans are made anew as its work grows, seldom enough to cost nothing.
 */
export class PlanRenewal {
  readonly #ages = new WeakMap<object, { transactions: number; renewAt: number }>();

  /** Counts one more transaction of a connection. @returns whether its plans are to be dropped before it */
  due(connection: object): boolean {
    const age = this.#ages.get(connection) ?? { transactions: 0, renewAt: FIRST };
    this.#ages.set(connection, age);
    age.transactions++;
    if (age.transactions < age.renewAt) return false;
    age.renewAt *= TIMES;
    return true;
  }
}
