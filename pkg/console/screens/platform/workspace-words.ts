import type { Output } from '../../api/call.ts';
import type { Tone } from '../../parts/chip.tsx';

type AdminWorkspace = Output<'svc_admin_list_workspaces'>['workspaces'][number];

export const STATUS_TONES: Readonly<Record<AdminWorkspace['status'], Tone>> = {
  active: 'good',
  suspended: 'warn',
  deleting: 'bad',
};

/** Work that is late has nobody who does it. */
export function lagWords({ phase, lag }: AdminWorkspace['executor']): string {
  return lag > 60_000 ? `${phase}, ${Math.round(lag / 60_000)} min behind` : phase;
}
