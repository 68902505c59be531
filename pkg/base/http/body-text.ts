import { isUtf8 } from 'node:buffer';
import { HttpError } from './http-error.ts';

/** A body is in another encoding than it says: read as UTF-8, each letter that is not plain would be lost for good. */
export class NotUtf8 extends HttpError {
  constructor() {
    super(400, 'The body is not UTF-8; nothing was done. Encode it as UTF-8 and send it again.');
  }
}

/** The text of a body. @throws NotUtf8 */
export function bodyText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new NotUtf8();
  return bytes.toString();
}
