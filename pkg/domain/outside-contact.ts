/** A person as other systems are told. */
export interface OutsideContact {
  leadId: string;
  firstName: string;
  lastName: string;
  fullName: string;
  title: string;
  company: string;
  email: string | null;
  profileUrl: string;
  country: string;
}
