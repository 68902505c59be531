import { UserError } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import type { Sealer } from '../../base/sealer.ts';
import type { SystemMailKind, SystemMailParams } from '../../domain/system-mails/system-mail.ts';
import type { Tx } from '../../postgres/database.ts';
import { outboxOwner, queueMail } from '../../store/mail-outbox/mail-outbox.ts';

/** A mail of the platform, as a tool asks for it. */
export interface MailRequest<K extends SystemMailKind> {
  kind: K;
  /** The same mail is queued once. */
  idempotencyKey: string;
  /** Whose share it counts in; null: the platform's. */
  workspaceId: string | null;
  to: string;
  params: SystemMailParams[K];
  /** What opens something: it is stored sealed, and forgotten once the mail ended. */
  link: string;
  /** Epoch ms, product time. */
  now: number;
  expiresAt: number;
}

/** Where mails of the platform are queued, in the transaction that is their reason; a worker sends them. */
export class PostOffice {
  readonly #sealer: Sealer;
  readonly #ids: Ids;

  constructor(sealer: Sealer, ids: Ids) {
    this.#sealer = sealer;
    this.#ids = ids;
  }

  /** @throws UserError when the address got, or the workspace sent, as many as may be in a day */
  async queue<K extends SystemMailKind>(tx: Tx, request: MailRequest<K>): Promise<void> {
    const id = this.#ids.uuid();
    const { kind, idempotencyKey, workspaceId, to, params, link, now, expiresAt } = request;
    const queued = await queueMail(tx, {
      id,
      idempotencyKey,
      kind,
      workspaceId,
      recipient: to,
      params: { ...params },
      sealed: this.#sealer.seal(link, outboxOwner(id)),
      now,
      expiresAt,
    });
    if (queued === 'recipient_full' || queued === 'workspace_full') throw tooMany(queued, to);
  }

  /** The link of a queued mail. @throws Error when it was sealed under another key */
  linkOf(id: string, sealed: Buffer): string {
    return this.#sealer.open(sealed, outboxOwner(id));
  }
}

function tooMany(full: 'recipient_full' | 'workspace_full', to: string): UserError {
  const what = full === 'recipient_full' ? `${to} got` : 'This workspace sent';
  return new UserError(
    `${what} as many mails as may be in a day. Try again tomorrow; svc_list_invitations shows what is open.`,
    'TooManyMails',
  );
}
