/** What must be known to speak S3, and to name an object there. Types only, so that nobody needs Amazon's packages to read them. */

/** How S3 is spoken to. */
export interface S3Settings {
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  /** Null for Amazon's own. */
  readonly endpoint: string | null
}

/** Where an object lies in S3. */
export interface S3Place {
  readonly bucket: string
  readonly key: string
}
