import type { Output } from '../../api/call.ts';

/** What svc_get_playbook tells. */
export type Playbook = Output<'svc_get_playbook'>;
