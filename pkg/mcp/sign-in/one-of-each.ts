import { OAuthError } from './oauth-error.ts';

/** Parameters of a request, each of which stands there once. Source: RFC 6749, 3.1 and 3.2. */
export class OneOfEach {
  readonly #params: URLSearchParams;

  constructor(params: URLSearchParams) {
    this.#params = params;
  }

  /** A parameter; undefined: absent or empty, which is the same. @throws OAuthError when it stands there twice or is too long */
  get(name: string, longest = 2_000): string | undefined {
    const [value, ...more] = this.#params.getAll(name);
    if (more.length > 0) throw new OAuthError('invalid_request', `${name} is given more than once.`);
    if (value !== undefined && value.length > longest)
      throw new OAuthError('invalid_request', `${name} is longer than ${longest} characters.`);
    return value === '' ? undefined : value;
  }

  /** @throws OAuthError when it is absent */
  require(name: string, longest?: number): string {
    const value = this.get(name, longest);
    if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
    return value;
  }

  /** All values of one that may stand there several times (RFC 8707). */
  all(name: string): string[] {
    return this.#params.getAll(name).filter((value) => value !== '');
  }
}
