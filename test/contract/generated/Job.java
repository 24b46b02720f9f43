import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.DataCleaningApi;
import org.openapitools.client.api.LoginApi;
import org.openapitools.client.model.*;

/** Runs one job with the client that openapi-generator made of the description. Arguments: address, user, password. */
public class Job {
  static org.openapitools.client.model.Job reach(DataCleaningApi jobs, String id, String status) throws Exception {
    for (int turn = 0; turn < 600; turn++) {
      var found = jobs.readJob(id);
      if (found.getStatus().equals(status)) return found;
      Thread.sleep(100);
    }
    throw new IllegalStateException("the job did not become " + status);
  }

  public static void main(String[] args) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(args[0]);
    var login = new LoginApi(client).authenticate(new Credentials().username(args[1]).password(args[2]));
    client.setRequestInterceptor(request -> request.setHeader("Authorization", "Bearer " + login.getToken()));
    var jobs = new DataCleaningApi(client);
    var id = jobs.createJob(new CreateJob().name("generated")).getId();
    var file = Files.createTempFile("job", ".csv");
    Files.writeString(file, "name\nAcme Ltd\n");
    jobs.upload(id, true, file.toFile());
    jobs.setMappings(id, new MappingsBody().mappings(List.of(new ColumnMapping().mapping(ColumnMapping.MappingEnum.NAME).value("0"))));
    jobs.submit(id, Map.of());
    reach(jobs, id, "jobMatchingComplete");
    var tag = new EnrichmentsBodyEnrichmentsInner().enrichment(EnrichmentTag.GENERAL_CONNECT_ID);
    jobs.setEnrichments(id, new EnrichmentsBody().enrichments(List.of(tag)));
    jobs.enrich(id, Map.of());
    var matched = reach(jobs, id, "enrichmentComplete").getJobSummary().getMatched();
    System.out.println(matched + " " + jobs.enrichedFile(id, "csv").getFilePath());
  }
}
