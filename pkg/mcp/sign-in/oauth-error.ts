/** Why a client is refused, in words that its code knows. Source: RFC 6749, 5.2 and 4.1.2.1; RFC 7591; RFC 8707. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'temporarily_unavailable';

/** A refusal that a client reads; its text has none of the signs that RFC 6749 forbids there (quotes, backslash). */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: OAuthErrorCode, text: string, status = 400, headers: Readonly<Record<string, string>> = {}) {
    super(text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?'));
    this.code = code;
    this.status = status;
    this.headers = headers;
  }

  /** As a client reads it. */
  body(): object {
    return { error: this.code, error_description: this.message };
  }
}
