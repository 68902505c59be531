import { readXml, type XmlElement } from '../../../base/read-xml.ts';
import { CallError } from '../../call-error.ts';
import type { GuardedAnswer } from '../../guarded-request.ts';
import { exchange, type OutsideRequest, refusalOf } from '../../outside-http.ts';

/** What opens a CalDAV server. */
export interface DavAccess {
  username: string;
  password: string;
  reach: 'public' | 'any';
}

export interface DavRequest {
  method: OutsideRequest['method'];
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** It only asks. */
  harmless: boolean;
}

export const DAV = 'DAV:';
export const CALDAV = 'urn:ietf:params:xml:ns:caldav';
const TIMEOUT_MS = 15_000;

/** @returns any complete answer. @throws CallError when there is none */
export function davExchange(access: DavAccess, request: DavRequest, signal: AbortSignal): Promise<GuardedAnswer> {
  return exchange(callOf(access, request, signal));
}

/** @returns an answer whose status is below 300 or among `also`. @throws CallError */
export async function davAnswer(
  access: DavAccess,
  request: DavRequest,
  signal: AbortSignal,
  also: readonly number[] = [],
): Promise<GuardedAnswer> {
  const call = callOf(access, request, signal);
  const answer = await exchange(call);
  if (answer.status < 300 || also.includes(answer.status)) return answer;
  throw refusalOf(call, answer);
}

function callOf(access: DavAccess, { harmless, ...request }: DavRequest, signal: AbortSignal): OutsideRequest {
  const { username, password, reach } = access;
  const xml = request.method === 'PROPFIND' || request.method === 'REPORT';
  return {
    ...request,
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      ...(xml ? { 'content-type': 'application/xml; charset=utf-8' } : {}),
      ...request.headers,
    },
    timeoutMs: TIMEOUT_MS,
    signal,
    harmless,
    reach,
  };
}

/** One resource of an answer with several, with the properties that it has. */
export interface DavResource {
  href: string;
  properties: XmlElement;
}

/** The resources of a multi-status answer. @throws CallError `busy` when it can not be read */
export function resourcesOf(text: string): DavResource[] {
  let root: XmlElement;
  try {
    root = readXml(text);
  } catch {
    throw new CallError('busy', 'the answer of the calendar is no XML, or cut');
  }
  if (root.name !== `${DAV}|multistatus`) throw new CallError('refused', 'the calendar gave no WebDAV answer');
  return root.children.flatMap((response) => {
    if (response.name !== `${DAV}|response`) return [];
    const href = response.children.find(({ name }) => name === `${DAV}|href`)?.text.trim() ?? '';
    const found = response.children
      .filter(({ name }) => name === `${DAV}|propstat`)
      .filter((propstat) =>
        /\s2\d\d\s/.test(`${propstat.children.find(({ name }) => name === `${DAV}|status`)?.text ?? ' 200 '} `),
      )
      .flatMap((propstat) => propstat.children.filter(({ name }) => name === `${DAV}|prop`))
      .flatMap(({ children }) => children);
    return [{ href, properties: { name: '', text: '', attributes: {}, children: found } }];
  });
}

/**
 * Where a server's path leads: to the same server, over the same protocol. An answer that points elsewhere would be given the password.
 * @throws CallError `refused`
 */
export function sameServer(base: string, href: string): string {
  const from = new URL(base);
  const to = new URL(href, from);
  if (to.host !== from.host || to.protocol !== from.protocol)
    throw new CallError('refused', `the calendar points to another server, ${to.host}; connect that one`);
  return to.href;
}
