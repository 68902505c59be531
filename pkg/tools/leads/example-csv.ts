/** Two people of two companies, for the example of the import. */
export const EXAMPLE_CSV =
  'First name,Last name,Email,Title,Company,Company domain,LinkedIn\n' +
  'Ada,Lane,ada@acorn.example,CTO,Acorn Labs,acorn.example,https://www.linkedin.com/in/ada-lane\n' +
  'Bo,Marsh,bo@birch.example,Head of Sales,Birch Foods,birch.example,https://www.linkedin.com/in/bo-marsh\n';
