import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { SCOPE_DOMAINS, type ScopeChoice, scopesOfChoice } from '../../domain/scope-domains.ts';

/** What a consent page was made for; the browser brings it back with the person's answer. */
export interface ConsentForm {
  consentId: string;
  clientId: string;
  clientName: string;
  redirectUri: string;
  state?: string | undefined;
  challenge: string;
  /** Under which address the client knows this server. */
  address: string;
  /** Epoch ms, real time. */
  until: number;
}

const formSchema: z.ZodType<ConsentForm> = z.strictObject({
  consentId: z.string(),
  clientId: z.string(),
  clientName: z.string(),
  redirectUri: z.string(),
  state: z.string().optional(),
  challenge: z.string(),
  address: z.string(),
  until: z.number(),
});

/** Signs forms for a session: another one can neither send it nor make one, so that nobody answers for somebody else. */
export class ConsentForms {
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = createHmac('sha256', secret).update('outrider consent form').digest();
  }

  sign(form: ConsentForm, sessionId: string): string {
    const text = Buffer.from(JSON.stringify(form)).toString('base64url');
    return `${text}.${this.#mac(text, sessionId).toString('base64url')}`;
  }

  /** @param now real time @returns undefined for one of another session, that was changed, or is too old */
  open(signed: string, sessionId: string, now: number): ConsentForm | undefined {
    const [text = '', mac = ''] = signed.split('.');
    const given = Buffer.from(mac, 'base64url');
    const expected = this.#mac(text, sessionId);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const form = formSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))).data;
    return form && form.until > now ? form : undefined;
  }

  #mac(text: string, sessionId: string): Buffer {
    return createHmac('sha256', this.#key).update(`${sessionId}\n${text}`).digest();
  }
}

/** What a person chose. */
export interface ConsentChoice {
  scopes: string[];
  workspaces: string[];
  mayReach: boolean;
}

/** The choices of a form that was sent; what is none of those that were shown is left out. */
export function choiceIn(fields: URLSearchParams, workspaces: readonly { workspaceId: string }[]): ConsentChoice {
  const wanted = fields.getAll('workspace');
  return {
    scopes: SCOPE_DOMAINS.flatMap(({ name, choices }) => {
      const chosen = fields.get(`scope:${name}`) as ScopeChoice;
      return choices.includes(chosen) ? scopesOfChoice(name, chosen) : [];
    }),
    workspaces: workspaces.map(({ workspaceId }) => workspaceId).filter((id) => wanted.includes(id)),
    mayReach: fields.get('reach') === 'yes',
  };
}
