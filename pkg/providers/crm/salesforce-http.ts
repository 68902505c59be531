import { z } from 'zod';
import { CallError } from '../call-error.ts';
import { refusalOf } from '../outside-http.ts';
import { sendToCrm, shapeOf } from './crm-http.ts';
import type { CrmAccess, CrmOptions } from './crm-provider.ts';

/** The version that jsforce asks for; every later release answers it. */
export const API = 'services/data/v50.0';

const FORBIDDEN = 403;
/** Codes that mean "later" though their status says "never". */
const LATER: readonly string[] = ['REQUEST_LIMIT_EXCEEDED', 'UNABLE_TO_LOCK_ROW', 'SERVER_UNAVAILABLE'];
/** Real ms until an organisation that used up its requests is asked again: they count over a day, and come back as it passes. */
const LIMIT_REST_MS = 15 * 60_000;
const refusalsShape = z.array(z.object({ errorCode: z.string(), message: z.string() }));

export interface SalesforceRequest {
  method: 'GET' | 'POST' | 'PATCH';
  /** Below the address of the version. */
  path: string;
  body?: object;
  harmless?: boolean;
}

/** Asks Salesforce; an update is answered without a body, which reads as `{}`. @throws CallError */
export async function askSalesforce<T extends z.ZodType>(
  access: CrmAccess,
  request: SalesforceRequest,
  options: CrmOptions,
  shape: T,
): Promise<z.output<T>> {
  const { harmless = true, path, ...rest } = request;
  const headers = { authorization: `Bearer ${access.token}` };
  const sent = { ...rest, path: `${API}/${path}`, headers, harmless };
  const { call, answer } = await sendToCrm(access, sent, options);
  if (answer.status < 300) return shapeOf(answer.text === '' ? { ...answer, text: '{}' } : answer, shape, harmless);
  const refusal = refusalOf(call, answer);
  if (answer.status === FORBIDDEN || answer.status === 400) throw laterOr(refusal, answer.text);
  throw refusal;
}

/** Its limit on requests is told as 403, which elsewhere means that the credentials do not suffice. */
function laterOr(refusal: CallError, text: string): CallError {
  const code = codeOf(text);
  if (code === undefined || !LATER.includes(code)) return refusal;
  return new CallError('busy', refusal.message, LIMIT_REST_MS, code === 'REQUEST_LIMIT_EXCEEDED');
}

function codeOf(text: string): string | undefined {
  try {
    return refusalsShape.safeParse(JSON.parse(text)).data?.[0]?.errorCode;
  } catch {
    return undefined;
  }
}

/** Rows of a query; a page of at most `limit` is one answer, so that no locator is kept that could expire. */
export async function query(
  access: CrmAccess,
  soql: string,
  options: CrmOptions,
): Promise<Readonly<Record<string, unknown>>[]> {
  const path = `query?${new URLSearchParams({ q: soql })}`;
  const shape = z.object({ records: z.array(z.record(z.string(), z.unknown())) });
  return (await askSalesforce(access, { method: 'GET', path }, options, shape)).records;
}

/** A text as SOQL writes it. */
export function quoted(text: string): string {
  return `'${text
    .replace(/[\\'"]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')}'`;
}
