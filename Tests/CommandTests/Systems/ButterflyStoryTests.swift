import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Surveyors with one species list, a collector among them, and what leaves for other databases.
@Suite(.serialized) struct ButterflyStoryTests {
    @Test(.timeLimit(.minutes(3)))
    func `sightings of two surveyors are one survey's, found, charted and handed on`() async throws
    {
        let nina = try await Daemon.installed("butterfly-survey", name: "nina")
        let code = try await nina.invite("--role", "collector")
        let tom = try await Daemon.member("tom", of: nina, room: "butterflies", code: code)
        try await nina.does("push")
        try await Daemon.untilIdentical(nina, tom)
        #expect(try await tom.figures()["total"] == .double(26))

        // A collector may add, and not override.
        let mill = try await tom.answer("list", "survey", "site=Mill meadow")
        let id = try #require(mill[0]["_id"].string)
        try await tom.refuses("only entries of its own", "edit", id, "site=Tom's meadow")
        // Some questions belong to one protocol only; a device without a sensor leaves it empty.
        try await tom.refuses(
            "section", "add", "survey", "protocol=presence", "region=lowland", "site=Wood",
            "started=2026-06-20T10:00:00+00:00", "section=2")
        try await tom.does(
            "add", "survey", "protocol=Presence-absence", "region=lowland", "site=Wood",
            "started=2026-06-20T10:00:00+00:00", "surveyor=Tom Brandt")
        let rows = tom.folder.path + "/sightings.csv"
        let wood = try await tom.answer("list", "survey", "site=Wood", "position=")
        let parent = try #require(wood[0]["_id"].string)
        try """
        PARENT_KEY,precision,family,genus,species,unlisted,tally,behaviour,comment
        \(parent),species,,,Swallowtail,,3,mating basking,by the thistle
        \(parent),genus,pieridae,pieris,,,1,,
        \(parent),unlisted,,,,Colias erate,1,,new here
        """.write(toFile: rows, atomically: true, encoding: .utf8)
        try await tom.does("import", "survey/sighting", rows)
        try await tom.does("push")
        try await Daemon.untilIdentical(nina, tom)
        for surveyor in [nina, tom] {
            #expect(try await surveyor.figures()["total"] == .double(31))
            let unlisted = try await surveyor.answer(
                "count", "survey/sighting", "precision=unlisted")
            #expect(unlisted["entries"].number == 2)
            let nectaring = try await surveyor.answer(
                "count", "survey/sighting", "selected(behaviour, 'mating')")
            #expect(nectaring["entries"].number == 2)
            let thistles = try await surveyor.shared("search", "thistle")
            #expect(thistles.output.contains("on thistles by the mill"), "\(thistles.errors)")
            #expect(thistles.output.contains("by the thistle"), "\(thistles.output)")
            let species = try await surveyor.counts("survey/sighting", by: "species")
            #expect(species["Swallowtail"] == 3, "\(species)")
        }

        // CSV of any query, with the rows of just its entries.
        let folder = nina.folder.path
        try await nina.does(
            "export", "survey", "site=Quarry", "--output", folder + "/quarry.csv")
        let text = try String(contentsOfFile: folder + "/quarry-sighting.csv", encoding: .utf8)
        #expect(text.split(separator: "\n").count == 3)

        let archive = folder + "/butterflies.zip"
        try await nina.does(
            "export", "survey", "--darwin-core",
            Examples.folder + "butterfly-survey/darwin-core.json", "--output", archive)
        let read = try await CommandRun(
            program: "/usr/bin/python3",
            [
                "-c",
                """
                import csv, io, sys, zipfile, xml.etree.ElementTree as tree
                z = zipfile.ZipFile(sys.argv[1])
                names = {}
                for table in tree.fromstring(z.read('meta.xml')):
                    file = table.find('{*}files/{*}location').text
                    terms = [f.get('term').split('/')[-1] for f in table.findall('{*}field')]
                    rows = list(csv.reader(io.StringIO(z.read(file).decode())))
                    assert rows[0][1:] == terms, rows[0]
                    names[file] = [dict(zip(['id'] + terms, r)) for r in rows[1:]]
                events = {e['id']: e for e in names['event.csv']}
                print(len(events), len(names['occurrence.csv']))
                for o in names['occurrence.csv']:
                    if o['vernacularName'] == 'Apollo':
                        e = events[o['id']]
                        print(o['scientificName'], o['individualCount'], e['decimalLatitude'],
                              e['samplingProtocol'], e['minimumElevationInMeters'])
                for o in names['occurrence.csv']:
                    assert o['scientificName'] and o['taxonRank'] in ('species', 'genus', 'family'), o
                    if o['taxonRank'] == 'genus':
                        print(o['scientificName'], o['family'], o['genus'])
                eml = tree.fromstring(z.read('eml.xml')).find('dataset')
                print([e.tag for e in eml])
                print(eml.find('creator/individualName/surName').text,
                      eml.find('metadataProvider/electronicMailAddress').text,
                      eml.find('intellectualRights/para/ulink').get('url'))
                """, archive,
            ])
        #expect(
            read.output == "4 11\nParnassius apollo 1 46.6602 Individual sighting 2100\n"
                + "Pieris Pieridae Pieris\nPieris Pieridae Pieris\n"
                + "['title', 'creator', 'metadataProvider', 'pubDate', 'abstract', "
                + "'intellectualRights', 'contact']\n"
                + "Nina Rey nina@example.org https://creativecommons.org/licenses/by/4.0/legalcode\n",
            "\(read.output)\(read.errors)")
        await nina.terminate()
        await tom.terminate()
    }
}
