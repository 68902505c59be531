/** What the ingress answers. */
export interface IngressAnswer {
  status: number;
  body: object;
  /** For people, instead of the body. */
  page?: string;
}
