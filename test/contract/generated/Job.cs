using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Threading;
using Made.Api;
using Made.Client;
using Made.Model;

/// <summary>Runs one job with the client that openapi-generator made of the description. Arguments: address, user, password.</summary>
public static class Run
{
    // A method of its own: the compiler of Mono has no local functions.
    private static Job Reach(DataCleaningApi jobs, string id, string status)
    {
        for (var turn = 0; turn < 600; turn++)
        {
            var found = jobs.ReadJob(id);
            if (found.Status == status) return found;
            Thread.Sleep(100);
        }
        throw new InvalidOperationException("the job did not become " + status);
    }

    public static void Main(string[] args)
    {
        var settings = new Configuration { BasePath = args[0] };
        settings.AccessToken = new LoginApi(settings).Authenticate(new Credentials(args[1], args[2])).Token;
        var jobs = new DataCleaningApi(settings);
        var id = jobs.CreateJob(new CreateJob("generated")).Id;
        var file = new MemoryStream(Encoding.UTF8.GetBytes("name\nAcme Ltd\n"));
        jobs.Upload(id, true, new FileParameter("a.csv", "text/csv", file));
        var mapping = new ColumnMapping(ColumnMapping.MappingEnum.Name, "0");
        jobs.SetMappings(id, new MappingsBody(new List<ColumnMapping> { mapping }));
        jobs.Submit(id, new Dictionary<string, object>());
        Reach(jobs, id, "jobMatchingComplete");
        var tag = new EnrichmentsBodyEnrichmentsInner(EnrichmentTag.GeneralConnectId);
        jobs.SetEnrichments(id, new EnrichmentsBody(new List<EnrichmentsBodyEnrichmentsInner> { tag }));
        jobs.Enrich(id, new Dictionary<string, object>());
        Console.WriteLine(Reach(jobs, id, "enrichmentComplete").JobSummary.Matched + " " + jobs.EnrichedFile(id).FilePath);
    }
}
