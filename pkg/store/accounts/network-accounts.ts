import type { Tx } from '../../postgres/database.ts';
import { tellTime } from '../events/tell-time.ts';

/** A network account as it is registered; null: as an account that is known has it, else the default. */
export interface Registration {
  /** Taken when the account is new. */
  id: string;
  provider: 'sandbox' | 'unipile';
  /** The id that it has at the provider. */
  externalId: string;
  displayName: string | null;
  tier: string | null;
  /** An IANA name. */
  timezone: string | null;
  profileUrl: string;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** The same external id is the same account: registering again changes what is given. @returns the account's id */
export async function keepRegistration(tx: Tx, account: Registration): Promise<string> {
  const row = await tx.row<{ id: string }>(
    `insert into network_account (
       id, external_id, display_name, tier, timezone, status, status_since, profile_url, created_at, provider
     )
     values ($1, $2, $3, $4, $5, 'ok', $6, $7, $6, $10)
     on conflict (provider, external_id) do update set
       display_name = coalesce(nullif(excluded.display_name, ''), network_account.display_name),
       tier = case when $9 then excluded.tier else network_account.tier end,
       timezone = case when $8 then excluded.timezone else network_account.timezone end
     returning id`,
    [
      account.id,
      account.externalId,
      account.displayName ?? '',
      account.tier ?? 'basic',
      account.timezone ?? 'UTC',
      account.now,
      account.profileUrl,
      account.timezone !== null,
      account.tier !== null,
      account.provider,
    ],
  );
  return row?.id ?? account.id;
}

/** An account that was registered as the sandbox's where there is none: nobody could ever act for it. */
export async function takeFromSandbox(
  tx: Tx,
  { provider, externalId }: Pick<Registration, 'provider' | 'externalId'>,
): Promise<void> {
  await tx.exec(
    `update network_account a
     set provider = $2
     where a.provider = 'sandbox'
       and a.external_id = $1
       and not exists (select 1 from network_account o where o.provider = $2 and o.external_id = $1)`,
    [externalId, provider],
  );
}

/** Settings of an account; each is written as it stands here. */
export interface StoredSettings {
  limits: object;
  /** null: those of campaign and workspace. */
  hours: object | null;
  pacing: object | null;
  /** `restart`: the next send is the first one of a ramp-up that begins again. */
  rampUp: { enabled: boolean; days: number; startShare: number; restart: boolean };
  paused: boolean;
}

export async function keepSettings(
  tx: Tx,
  accountId: string,
  { limits, hours, pacing, rampUp, paused }: StoredSettings,
  now: number,
): Promise<void> {
  await tellTime(tx, now);
  await tx.exec(
    `update network_account
     set
       limits = $2,
       business_hours = $3,
       pacing = $4,
       ramp_enabled = $5,
       ramp_days = $6,
       ramp_start_share = $7,
       first_send_at = case when $8 then null else first_send_at end,
       paused = $9
     where id = $1`,
    [
      accountId,
      JSON.stringify(limits),
      hours === null ? null : JSON.stringify(hours),
      pacing === null ? null : JSON.stringify(pacing),
      rampUp.enabled,
      rampUp.days,
      rampUp.startShare,
      rampUp.restart,
      paused,
    ],
  );
}
