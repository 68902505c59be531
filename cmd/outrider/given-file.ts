import { readFile } from 'node:fs/promises';
import { messageOf, UserError } from '../../pkg/base/errors.ts';

/** The bytes of a file that a person named. @throws UserError that says what is wrong with it */
export async function readGiven(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    const { code } = error as { code?: string };
    if (code === 'ENOENT') throw new UserError(`There is no file "${path}" (from ${process.cwd()}).`);
    throw new UserError(`The file "${path}" cannot be read: ${messageOf(error)}`);
  });
}
