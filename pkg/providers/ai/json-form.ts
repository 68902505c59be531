/** How an endpoint is held to JSON, best first; what it can is learnt from its refusals and kept. */
export const JSON_FORMS = ['json_schema', 'json_object', 'plain'] as const;
export type JsonForm = (typeof JSON_FORMS)[number];

/** What was learnt of an endpoint. */
export interface Learnt {
  form: JsonForm;
  thinks: boolean;
}
