import type { z } from 'zod';
import { CallError } from '../call-error.ts';
import { exchange, jsonOf, type OutsideAnswer, type OutsideRequest, refusalOf } from '../outside-http.ts';
import type { CrmAccess, CrmOptions } from './crm-provider.ts';

const TIMEOUT_MS = 15_000;

/** One request to a CRM. */
export interface CrmRequest {
  method: 'GET' | 'POST' | 'PATCH';
  /** Below the CRM's address, with its query. */
  path: string;
  body?: object | undefined;
  headers: Readonly<Record<string, string>>;
  /** It only asks, or does the same again. */
  harmless: boolean;
}

export type CrmAnswer = OutsideAnswer & { retryAfterMs?: number | undefined };

/** Sends once. @returns the answer, whatever its status, and the call that it answers. @throws CallError when there is none */
export async function sendToCrm(
  { url, reach }: CrmAccess,
  { method, path, body, headers, harmless }: CrmRequest,
  options: CrmOptions,
): Promise<{ call: OutsideRequest; answer: CrmAnswer }> {
  const call: OutsideRequest = {
    method,
    url: `${url.replace(/\/+$/, '')}/${path}`,
    headers: { accept: 'application/json', ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    ...options,
    harmless,
    reach,
  };
  return { call, answer: await exchange(call) };
}

/** As `sendToCrm`, and reads the answer. @throws CallError for a refusal, and for an answer of another shape */
export async function askCrm<T extends z.ZodType>(
  access: CrmAccess,
  request: CrmRequest,
  options: CrmOptions,
  shape: T,
): Promise<z.output<T>> {
  const { call, answer } = await sendToCrm(access, request, options);
  if (answer.status >= 300) throw refusalOf(call, answer);
  return shapeOf(answer, shape, request.harmless);
}

/** What is in an answer. @throws CallError when it has another shape: a write may have been done all the same */
export function shapeOf<T extends z.ZodType>(answer: OutsideAnswer, shape: T, harmless: boolean): z.output<T> {
  const parsed = shape.safeParse(jsonOf(answer, harmless));
  if (!parsed.success) throw new CallError(harmless ? 'busy' : 'lost', 'the CRM answered in another shape');
  return parsed.data;
}

/** Epoch ms of a time that a CRM tells; null: none. */
export function timeOf(text: string | null | undefined): number | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : at;
}
