import type { UserError } from '../../base/errors.ts';
import { invalidInput } from '../errors.ts';

/** There is no such version of the playbook. @param param that named it */
export function noVersion(param: string, version: number): UserError {
  return invalidInput(
    param,
    `there is no version ${version} of the playbook. Call svc_get_playbook, its history has them.`,
  );
}
