import type { Tx } from '../../postgres/database.ts';
import { type AuditRecord, insertWrite } from '../../store/audit/audit.ts';
import type { MessageServices } from '../handle-message.ts';

/** What happens at the console's door, as the audit log names it beside the tools. */
export type DoorDeed =
  | 'console_sign_in_by_claim'
  | 'console_sign_in_by_mail'
  | 'console_sign_in_by_oidc'
  | 'console_sign_in_by_passkey'
  | 'console_sign_out'
  | 'console_add_passkey'
  | 'console_remove_passkey';

type Services = Pick<MessageServices, 'audit' | 'ids' | 'clocks'>;
interface About {
  userId: string;
  requestId: string;
  /** Ids of what it made or ended. */
  about?: readonly string[];
}

/** Leaves a record of it. */
export function auditDoor(services: Services, deed: DoorDeed, about: About): void {
  services.audit.append(doorRecord(services, deed, about));
}

/** The same in the transaction of the deed: should the log lose its record, what was committed still says so. @returns what the log is to have */
export async function auditDoorWith(tx: Tx, services: Services, deed: DoorDeed, about: About): Promise<AuditRecord> {
  const record = doorRecord(services, deed, about);
  await insertWrite(tx, record);
  return record;
}

function doorRecord(
  { ids, clocks }: Pick<Services, 'ids' | 'clocks'>,
  deed: DoorDeed,
  { userId, requestId, about = [] }: About,
): AuditRecord {
  return {
    id: ids.uuid(),
    at: clocks.product.now(),
    actorKind: 'console',
    actorId: userId,
    keyPrefix: 'console',
    tool: deed,
    workspaceId: null,
    outcome: 'ok',
    calls: 1,
    durationUs: 0,
    inputHash: '',
    recordIds: about,
    requestId,
  };
}
