import { objectRef } from '../../api/object.ts';
import type { Sealer } from '../../base/sealer.ts';
import type { Tx } from '../../postgres/database.ts';

/** What is wrong with an installation and what to do, a sentence each. */
export interface Finding {
  /** Short and stable, for scripts. */
  check: string;
  /** `problem` makes the command fail; a `notice` is worth knowing. */
  level: 'problem' | 'notice';
  text: string;
  /** What to do about it. */
  remedy: string;
}

/** What a check may read: the whole database, both times (epoch ms), and stored secrets where the keys were given. */
export interface DoctorContext {
  tx: Tx;
  product: number;
  real: number;
  sealer?: Sealer | undefined;
}

/** One question to the installation. */
export interface DoctorCheck {
  /** What is asked, for the list of what is in order. */
  name: string;
  run(context: DoctorContext): Promise<Finding[]>;
}

export function problem(check: string, text: string, remedy: string): Finding {
  return { check, level: 'problem', text, remedy };
}

export function notice(check: string, text: string, remedy: string): Finding {
  return { check, level: 'notice', text, remedy };
}

/** `3 h 20 min` of a duration in ms. */
export function ago(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1_440)} days`;
}

/** The command that shows the resource of a workspace, in whatever namespace it is. */
export function describeWorkspace(id: string): string {
  const { namespace, name } = objectRef(id, '');
  return `kubectl describe ows ${name}${namespace ? ` -n ${namespace}` : ''}`;
}
