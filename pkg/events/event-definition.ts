import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { Scope } from '../domain/scopes.ts';

/** What there is to know of a kind of event: by it events are checked, told, subscribed to and documented. */
export interface EventDefinition {
  /** One sentence: what happened. */
  says: string;
  /** The deed that causes it, in the words of a test's name. */
  deed: string;
  /** Who subscribes by any channel holds it, and delivery stops when they lose it. */
  scope: Scope;
  /** `data` of the event as readers get it: ids, numbers and words of the product; names are read when it is told. */
  data: z.ZodObject;
  /** An example that `data` takes. */
  sample: JsonObject;
}
