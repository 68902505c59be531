import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Files of the house by git's patterns, those that are not added yet included: a check must not wait for the commit. */
export function houseFiles(...patterns: string[]): string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...patterns],
    { encoding: 'utf8' },
  );
  return listed.split('\n').filter((file) => file !== '' && existsSync(file));
}
